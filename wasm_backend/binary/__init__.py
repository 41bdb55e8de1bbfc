"""The WebAssembly binary format: writing, reading and showing modules. It knows nothing of Rose.

`encoder.py` has the table of instructions, and writes: `Code` is the body of a function, `Module` a module; `shapes.py`
has vectors, and the order of their lanes. `reader.py` reads sections; on it stand `disassembler.py`, a module as text,
and `inspector.py`, the facts that `rose inspect` prints. The names are those of the specification:
https://webassembly.github.io/spec/core/binary/

Contract: the encoder does not validate (a validator does, in the tests), but asserts the limits of engines; equal calls
give equal bytes. Of a damaged module the inspector raises a ValueError. The disassembler reads only modules that the
encoder wrote.
"""
