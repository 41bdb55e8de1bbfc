"""Measurements: `make bench` runs them all, and writes what it finds into benchmarks/results."""

import os

os.environ.setdefault("ROSE_CACHE", "")  # what is compiled is measured, and not what is found
