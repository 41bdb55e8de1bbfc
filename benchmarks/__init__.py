"""Measurements: `make bench` runs them all, and writes what it finds into benchmarks/results."""
