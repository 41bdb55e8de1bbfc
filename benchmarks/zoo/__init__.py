"""The gradient zoo: public reports of wrong derivatives, run on every tool that installs here, and on ours.

`python -m benchmarks.zoo` installs the tools, asks them, and writes RESULTS.md beside this file; names of tools choose
among them. `spec.py` says what a case is, `cases/` has them, `reference.py` what mathematics says, `judge.py` the rule;
`adapters/` has one file for each tool.
"""
