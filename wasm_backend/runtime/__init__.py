"""Running modules: compiled functions as Python callables, under wasmtime.

Read from below: `raw_call.py` makes one call of C into a module, and of a host function out of it; `places.py` writes
values into linear memory and reads them, vectors by `arrays.py`, which needs NumPy, and `numbers.py` has what both
know; `instances.py` has a module, its instances (one for each thread), and their imports; `callables.py` has the
objects that a user holds, with a Python function generated for each signature; `batch.py` is `map`, and `weaving.py`
puts numbers of several elements side by side; `stopping.py` ends runs, by Ctrl-C and by a time limit. `handles.py` says
when what wasmtime made is deleted. `code_cache.py` stores machine code, and `module_cache.py` modules, as `entries.py`
in the directory of `cache_directory.py`.

The terms: *marshalling* is the conversion of arguments and results; a *place* is a value in linear memory, and a *leaf*
of it an array of scalars; a *host function* is an `@opaque` function or `rose.print`, an import of the module.

Contract: only this room imports wasmtime and NumPy. A call allocates no wasmtime object, and copies each vector once.
"""
