"""`python -m benchmarks.solvers`: what `measure.py` measures."""

from .measure import main

main()
