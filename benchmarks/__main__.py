"""`python -m benchmarks`: all measurements, one after the other."""

from . import accuracy, gradbench, latency, loops, mathematics

latency.main()
mathematics.main()
loops.main()
gradbench.main()
accuracy.main()
