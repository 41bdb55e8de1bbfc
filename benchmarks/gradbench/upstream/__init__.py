"""The directory of our tool as GradBench's repository has one for each: see `__main__.py`."""
