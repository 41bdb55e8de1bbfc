"""Linking libm: the mathematical functions that a module calls, taken from `rose/ir/libm/libm.bin`.

`link.py` is the linker, and `lanes.py` derives functions for a vector of numbers, which `simd` calls; `all_ways.py`,
`singles.py` and `error_function.py` write those that have several ways, or 32 bits. A compilation uses no other part.
`build.py` makes `libm.bin`, out of the relocatable objects of musl that `objects.py` reads from an archive; a developer
runs it once for each version of musl.

The terms: a *relocation* is a number in the code that depends on where functions and data lie in the module; a *hole*
is the place of one in an object file; the *closure* of some functions is all that they call, and their data.
"""
