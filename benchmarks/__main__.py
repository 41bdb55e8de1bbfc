"""`python -m benchmarks`: all measurements, one after the other."""

from . import accuracy, dynamic, gradbench, latency, loops, mathematics, pyodide
from .compare import measure

latency.main()
pyodide.main()
mathematics.main()
loops.main()
dynamic.main()
gradbench.main()
accuracy.main()
measure.main()
