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
    "abs", "accum", "Bool", "ceil", "compile", "Compiled", "constant", "copysign", "dot", "Dual", "EscapedValue",
    "Fin", "floor", "Fn", "fn", "grad", "hessian", "hvp", "jacfwd", "jacobian", "jacrev", "jvp", "linear_transpose",
    "linearize", "max", "min", "NotDifferentiable", "NotLinear", "opaque", "OutOfRange", "prod", "range", "Real",
    "RoseError", "round", "select", "sign", "sqrt", "stop_gradient", "struct", "sum", "Tan", "TooLarge", "trunc",
    "TypeMismatch", "Unit", "value_and_grad", "Vec", "vec", "Vjp", "vjp",
]  # fmt: skip
