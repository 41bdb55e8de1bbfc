"""Mathematical functions with the same bits everywhere: musl's libm, as relocatable WebAssembly.

`libm.bin` holds it, and `wasm_backend/libm/build.py` says how it is made. The linker of the back end puts what
a module calls into the module; `function` runs the very same code in plain Python, for the interpreter and
for folding constants. `branches.py` tells what ordinary arguments decide in it. `nearest` rounds to single precision.
The notices of its authors are in `NOTICE`.
"""

from .evaluate import function, nearest
from .library import DOUBLE, SINGLE

__all__ = ["DOUBLE", "SINGLE", "function", "nearest"]
