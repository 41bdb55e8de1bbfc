"""Planted faults: does the fast part of the suite find them?

`python -m tests.mutants` (`make mutants`) plants each fault of `table.py` in a copy of the tree, runs `pytest --quick`
there until a test fails, and writes benchmarks/results/mutants.json: which test found it, or none.
"""
