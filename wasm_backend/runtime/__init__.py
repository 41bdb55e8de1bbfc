"""Modules as Python callables, under wasmtime: instances, linear memory, batches, the cache of machine code."""
