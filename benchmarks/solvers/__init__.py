"""SciPy's solvers with derivatives from several tools: `python -m benchmarks.solvers`."""
