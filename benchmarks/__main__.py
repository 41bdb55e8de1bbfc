"""`python -m benchmarks`: all measurements, one after the other."""

from . import accuracy, dynamic, gradbench, latency, loops, mathematics
from .compare import measure

latency.main()
mathematics.main()
loops.main()
dynamic.main()
gradbench.main()
accuracy.main()
measure.main()
