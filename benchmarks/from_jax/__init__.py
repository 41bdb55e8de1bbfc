"""Fifty functions of libraries of JAX, as their users write them, imported by `rose.from_jax`.

`python -m benchmarks.from_jax [NAME ...]` measures them. The libraries are installed into an environment of their own
under `benchmarks/.peers`, in which each function runs in processes of its own, once with ours and once without. The
functions were chosen before one of them was imported, and none was replaced because it failed.
"""
