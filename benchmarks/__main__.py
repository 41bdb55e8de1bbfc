"""`python -m benchmarks`: all measurements, one after the other."""

from . import latency

latency.main()
