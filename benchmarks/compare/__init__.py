"""The same programs in our language, by hand, and in other tools: `make bench` runs it all."""
