"""Mathematical functions with the same bits everywhere: musl's libm, as relocatable WebAssembly.

`libm.bin` holds it, and `wasm_backend.libm.build` says how it was made. The linker of the back end puts the
functions that a module calls into the module; `function` runs the very same code in plain Python, for the
interpreter and for folding constants. The notices of the authors are in `NOTICE`.
"""


from .library import DOUBLE, SINGLE, closure, library

__all__ = ["DOUBLE", "SINGLE", "closure", "library"]
