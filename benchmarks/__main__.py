"""`python -m benchmarks`: all measurements, one after the other."""

from . import accuracy, latency, mathematics

latency.main()
mathematics.main()
accuracy.main()
