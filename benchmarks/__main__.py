"""`python -m benchmarks`: all measurements, one after the other."""

from . import accuracy, dynamic, latency, loops, mathematics, pyodide, simd
from .compare import measure
from .gradbench import __main__ as gradbench

latency.main()
pyodide.main()
mathematics.main()
loops.main()
dynamic.main()
accuracy.main()
simd.main()
measure.main()
gradbench.main([])
