"""`python -m benchmarks`: all measurements, one after the other."""

from . import accuracy, dynamic, latency, loops, mathematics

latency.main()
mathematics.main()
loops.main()
dynamic.main()
accuracy.main()
