"""Rose: write a Python function, get its derivatives, ship it as a few kilobytes of WebAssembly.

A name is imported when it is first asked for (PEP 562), from the room that has it. `__init__.pyi` says the same to type
checkers: `pytest tests/rose/test_init.py --bless` writes it.
"""

from importlib import import_module
from typing import Any

from .errors import edge
from .errors.advice import missing
from .hooks import Above
from .ir import ops as ops
from .ir.hooks import install
from .ir.ops import *  # noqa: F403 (its __all__ joins ours)
from .version import VERSION

ROOMS = (  # the public ones
    "fft", "functional", "implicit", "interpretations", "lib", "linalg", "nn", "optim", "random", "special", "stats",
    "testing",
)  # fmt: skip
NAMES = {  # by the module that has them; `all:all_` is there under another name
    "bridges.frameworks": "from_jax from_torch to_jax to_torch torch_parameters",
    "build": "Compiled compile",
    "differentiation.fields": "curl divergence",
    "differentiation.gradients": "Vjp grad hvp jvp linear_transpose linearize value_and_grad vjp",
    "differentiation.jacobians": "hessian jacfwd jacobian jacrev",
    "differentiation.jets": "directional jet",
    "differentiation.optics": "optic",
    "differentiation.partials": "derivatives partial_index",
    "differentiation.polynomials": "taylor",
    "differentiation.products": (
        "bilaplacian gradhessian gradhessianv hessianv jacobianTv jacobianv laplacian value_and_gradhessian "
        "value_and_gradhessianv value_and_hessian value_and_hessianv value_and_jacobian value_and_jacobianTv "
        "value_and_jacobianv value_and_laplacian"
    ),
    "differentiation.sparse.pattern": "Sparsity sparsity",
    "errors": (
        "AssertionFailed EscapedValue NotDifferentiable NotLinear OutOfRange RoseError TimedOut TooLarge "
        "TypeMismatch UnknownName UnrolledLoop WrongSyntax"
    ),
    "explain": "Explanation explain_nan",
    "for_scipy": "scipy",
    "frontend.annotations": "Dual Fin Vec struct",
    "frontend.arrays.counting": "nonzero unique",
    "frontend.arrays.creation": "arange eye full full_like linspace meshgrid ones ones_like zeros zeros_like",
    "frontend.arrays.einsum": "einsum",
    "frontend.arrays.joining": (
        "append array array_split block column_stack concatenate dstack hstack split stack vstack"
    ),
    "frontend.arrays.kinds": "astype",
    "frontend.arrays.nans": "nanmax nanmean nanmin nansum",
    "frontend.arrays.order": "argsort gradient median nan_to_num quantile sort take take_along_axis",
    "frontend.arrays.padding": "pad",
    "frontend.arrays.polynomials": "polyval vander",
    "frontend.arrays.products": "convolve correlate cross dot inner kron matmul outer tensordot trapezoid vdot",
    "frontend.arrays.reductions": "all:all_ any:any_ argmax argmin mean softmax std trace var",
    "frontend.arrays.running": "cummax cummin cumprod cumsum diff",
    "frontend.arrays.searches": "interp searchsorted",
    "frontend.arrays.shaping": (
        "atleast_1d atleast_2d broadcast_to copy diag diagonal expand_dims flatten flip fliplr flipud moveaxis "
        "ravel repeat reshape roll rot90 squeeze swapaxes tile transpose tril triu"
    ),
    "frontend.arrays.statistics": "average corrcoef count_nonzero cov percentile ptp",
    "frontend.decorators": "fn opaque",
    "frontend.eager": "eager",
    "frontend.function": "Fn",
    "frontend.language.accumulators": "accum",
    "frontend.language.control": "cond fori_loop scan switch while_loop",
    "frontend.language.debugging": "assert_ print",
    "frontend.language.indices": "index",
    "frontend.language.lenses": "lens",
    "frontend.language.loops": "max min prod range sum vec",
    "frontend.language.select": "abs constant select stop_gradient where",
    "frontend.language.vectors": "logsumexp norm",
    "frontend.own_operations": "op",
    "frontend.text_programs": "parse",
    "frontend.vmap": "vmap",
    "interpretations.interpret": "interpret",
    "ir.ops": "pow:pow_ round:round_",
    "ir.sizes": "dim",
    "ir.types": "Bool Complex Real Tan Unit",
    "wengert": "TraceTable trace_table",
}
_PLACES = {name.partition(":")[0]: (module, name) for module, names in NAMES.items() for name in names.split()}
_missing = missing("rose")

__all__ = [*sorted(_PLACES), *ops.__all__]  # pyright: ignore[reportUnsupportedDunderAll]
__version__ = VERSION


@edge
def __getattr__(name: str) -> Any:
    """A public name, which is ours from then on; an error that says what to write for any other."""
    if name in _PLACES:
        module, written = _PLACES[name]
        found = getattr(import_module(f"rose.{module}"), written.partition(":")[2] or name)
    elif name in ROOMS:
        found = import_module(f"rose.{name}")
    else:
        return _missing(name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """The public names, without the rooms of the compiler."""
    return [*__all__, *ROOMS, "__version__"]


install(Above())
