"""The programs: each file has a function `written`."""
