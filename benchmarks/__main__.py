"""`python -m benchmarks`: all measurements, one after the other."""

from . import accuracy, latency, loops, mathematics

latency.main()
mathematics.main()
loops.main()
accuracy.main()
