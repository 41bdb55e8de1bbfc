"""Programs as the people of many fields write them, each with a plain adjoint by hand in C and the same in JAX.

`python -m benchmarks.written [NAME ...]` measures them. A program is three files of one name: in `programs/` the `@fn`
with its inputs, in `c/` the adjoint, in `jax/` the function for JAX. They were written by people who had not read the
compiler's passes, and are not changed for their times.
"""
