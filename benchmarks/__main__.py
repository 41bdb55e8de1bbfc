"""`python -m benchmarks`: all measurements, one after the other."""

from . import accuracy, dynamic, gradbench, latency, loops, mathematics, pyodide, simd
from .compare import measure

latency.main()
pyodide.main()
mathematics.main()
loops.main()
dynamic.main()
gradbench.main()
accuracy.main()
simd.main()
measure.main()
