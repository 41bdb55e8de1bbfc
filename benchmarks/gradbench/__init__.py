"""GradBench's programs in our language, beside adjoints by hand and other tools, all of them behind its protocol."""
