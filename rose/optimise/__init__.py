"""Passes that make a function smaller or faster, and keep every bit: a file for each, in the order of `pipeline.py`."""
