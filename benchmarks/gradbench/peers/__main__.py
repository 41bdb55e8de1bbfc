"""`python -m benchmarks.gradbench.peers jax`: a tool of others, as GradBench starts it."""

import functools
import sys

from .. import tool
from . import functions, on_one_core

on_one_core()
name, *rest = sys.argv[1:]
tool.main(name, functools.partial(functions, name), rest)
