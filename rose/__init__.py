"""Rose: write a Python function, get its derivatives, ship it as a few kilobytes of WebAssembly."""

from .build import Compiled, compile
from .derive import (
    Vjp,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linear_transpose,
    linearize,
    value_and_grad,
    vjp,
)  # fmt: skip
from .errors import (
    EscapedValue,
    NotDifferentiable,
    NotLinear,
    OutOfRange,
    RoseError,
    TooLarge,
    TypeMismatch,
)
from .functions import abs, constant, select, stop_gradient
from .loops import accum, dot, max, min, prod, range, sum, vec
from .ops import ceil, copysign, floor, sign, sqrt, trunc
from .ops import round_ as round
from .structs import Dual, Fin, Vec, struct
from .trace import Fn, fn, opaque
from .types import Bool, Real, Tan, Unit

__all__ = [
    "Bool",
    "Compiled",
    "Dual",
    "EscapedValue",
    "Fin",
    "Fn",
    "NotDifferentiable",
    "NotLinear",
    "OutOfRange",
    "Real",
    "RoseError",
    "Tan",
    "TooLarge",
    "TypeMismatch",
    "Unit",
    "Vec",
    "Vjp",
    "abs",
    "accum",
    "ceil",
    "compile",
    "constant",
    "copysign",
    "dot",
    "floor",
    "fn",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linear_transpose",
    "linearize",
    "max",
    "min",
    "opaque",
    "prod",
    "range",
    "round",
    "select",
    "sign",
    "sqrt",
    "stop_gradient",
    "struct",
    "sum",
    "trunc",
    "value_and_grad",
    "vec",
    "vjp",
]  # fmt: skip
