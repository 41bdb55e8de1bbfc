"""`python -m benchmarks`: all measurements, one after the other."""

from . import accuracy, dynamic, functionals, latency, loops, mathematics, passes, pyodide, simd, sparse
from .compare import measure
from .gradbench import __main__ as gradbench
from .pages import __main__ as pages
from .solvers import measure as solvers

latency.main()
pyodide.main()
mathematics.main()
loops.main()
dynamic.main()
accuracy.main()
simd.main()
passes.main()
sparse.main()
functionals.main()
solvers.main()
measure.main()
pages.main()
gradbench.main([])
