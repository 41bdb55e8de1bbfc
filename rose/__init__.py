"""Rose: write a Python function, get its derivatives, ship it as a few kilobytes of WebAssembly."""

from typing import TYPE_CHECKING

from . import functional as functional
from . import implicit as implicit
from . import interpretations as interpretations
from . import lib as lib
from . import linalg as linalg
from . import nn as nn
from . import random as random
from . import testing as testing
from .build import Compiled, compile
from .differentiation.fields import curl, divergence
from .differentiation.gradients import Vjp, grad, hvp, jvp, linear_transpose, linearize, value_and_grad, vjp
from .differentiation.jacobians import hessian, jacfwd, jacobian, jacrev
from .differentiation.jets import directional, jet
from .differentiation.optics import optic
from .differentiation.partials import derivatives, partial_index
from .differentiation.polynomials import taylor
from .differentiation.products import (
    bilaplacian,
    gradhessian,
    gradhessianv,
    hessianv,
    jacobianTv,
    jacobianv,
    laplacian,
    value_and_gradhessian,
    value_and_gradhessianv,
    value_and_hessian,
    value_and_hessianv,
    value_and_jacobian,
    value_and_jacobianTv,
    value_and_jacobianv,
    value_and_laplacian,
)
from .differentiation.sparse.pattern import Sparsity, sparsity
from .errors import (
    AssertionFailed,
    EscapedValue,
    NotDifferentiable,
    NotLinear,
    OutOfRange,
    RoseError,
    TimedOut,
    TooLarge,
    TypeMismatch,
    UnknownName,
    WrongSyntax,
)
from .errors.advice import listed as _listed
from .errors.advice import missing as _missing
from .explain import Explanation, explain_nan
from .for_scipy import scipy
from .frontend.annotations import struct
from .frontend.arrays.creation import (
    arange,
    eye,
    full,
    full_like,
    linspace,
    meshgrid,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from .frontend.arrays.einsum import einsum
from .frontend.arrays.joining import (
    append,
    array,
    array_split,
    block,
    column_stack,
    concatenate,
    dstack,
    hstack,
    pad,
    split,
    stack,
    vstack,
)
from .frontend.arrays.kinds import astype
from .frontend.arrays.order import argsort, gradient, median, nan_to_num, quantile, sort, take, take_along_axis
from .frontend.arrays.polynomials import polyval, vander
from .frontend.arrays.products import (
    convolve,
    correlate,
    cross,
    dot,
    inner,
    kron,
    matmul,
    outer,
    tensordot,
    trapezoid,
    vdot,
)
from .frontend.arrays.reductions import all_ as all
from .frontend.arrays.reductions import any_ as any
from .frontend.arrays.reductions import argmax, argmin, mean, softmax, std, trace, var
from .frontend.arrays.running import cummax, cummin, cumprod, cumsum, diff
from .frontend.arrays.searches import interp, searchsorted
from .frontend.arrays.shaping import (
    atleast_1d,
    atleast_2d,
    broadcast_to,
    copy,
    diag,
    diagonal,
    expand_dims,
    flatten,
    flip,
    fliplr,
    flipud,
    moveaxis,
    ravel,
    repeat,
    reshape,
    roll,
    rot90,
    squeeze,
    swapaxes,
    tile,
    transpose,
    tril,
    triu,
)
from .frontend.arrays.statistics import (
    average,
    corrcoef,
    count_nonzero,
    cov,
    nanmax,
    nanmean,
    nanmin,
    nansum,
    percentile,
    ptp,
)
from .frontend.decorators import fn, opaque
from .frontend.eager import eager
from .frontend.function import Fn
from .frontend.language.accumulators import accum
from .frontend.language.control import cond, scan, while_loop
from .frontend.language.debugging import assert_, print
from .frontend.language.indices import index
from .frontend.language.lenses import lens
from .frontend.language.loops import max, min, prod, range, sum, vec
from .frontend.language.select import abs, constant, select, stop_gradient, where
from .frontend.language.vectors import logsumexp, norm
from .frontend.own_operations import op
from .frontend.text_programs import parse
from .frontend.vmap import vmap
from .interpretations.interpret import interpret
from .ir.ops import pow_ as pow
from .ir.ops import round_ as round
from .ir.sizes import dim
from .version import VERSION
from .wengert import TraceTable, trace_table

if TYPE_CHECKING:  # stubs, without a module
    from .frontend import typed_operations as ops  # pyright: ignore[reportMissingModuleSource]
    from .frontend.typed import Bool, Dual, Fin, Real, Tan, Unit, Vec  # pyright: ignore[reportMissingModuleSource]
    from .frontend.typed_operations import *  # noqa: F403  # pyright: ignore[reportMissingModuleSource]
else:
    from .frontend.annotations import Dual, Fin, Vec
    from .ir import ops
    from .ir.ops import *  # noqa: F403 (its __all__ joins ours)
    from .ir.types import Bool, Real, Tan, Unit

__all__ = [
    "AssertionFailed",
    "Bool",
    "Compiled",
    "Dual",
    "EscapedValue",
    "Explanation",
    "Fin",
    "Fn",
    "NotDifferentiable",
    "NotLinear",
    "OutOfRange",
    "Real",
    "RoseError",
    "Sparsity",
    "Tan",
    "TimedOut",
    "TooLarge",
    "TraceTable",
    "TypeMismatch",
    "Unit",
    "UnknownName",
    "Vec",
    "Vjp",
    "WrongSyntax",
    "abs",
    "accum",
    "all",
    "any",
    "append",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "array",
    "array_split",
    "assert_",
    "astype",
    "atleast_1d",
    "atleast_2d",
    "average",
    "bilaplacian",
    "block",
    "broadcast_to",
    "column_stack",
    "compile",
    "concatenate",
    "cond",
    "constant",
    "convolve",
    "copy",
    "corrcoef",
    "correlate",
    "count_nonzero",
    "cov",
    "cross",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "curl",
    "derivatives",
    "diag",
    "diagonal",
    "diff",
    "dim",
    "directional",
    "divergence",
    "dot",
    "dstack",
    "eager",
    "einsum",
    "expand_dims",
    "explain_nan",
    "eye",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "fn",
    "full",
    "full_like",
    "grad",
    "gradhessian",
    "gradhessianv",
    "gradient",
    "hessian",
    "hessianv",
    "hstack",
    "hvp",
    "index",
    "inner",
    "interp",
    "interpret",
    "jacfwd",
    "jacobian",
    "jacobianTv",
    "jacobianv",
    "jacrev",
    "jet",
    "jvp",
    "kron",
    "laplacian",
    "lens",
    "linear_transpose",
    "linearize",
    "linspace",
    "logsumexp",
    "matmul",
    "max",
    "mean",
    "median",
    "meshgrid",
    "min",
    "moveaxis",
    "nan_to_num",
    "nanmax",
    "nanmean",
    "nanmin",
    "nansum",
    "norm",
    "ones",
    "ones_like",
    "op",
    "opaque",
    "optic",
    "outer",
    "pad",
    "parse",
    "partial_index",
    "percentile",
    "polyval",
    "pow",
    "print",
    "prod",
    "ptp",
    "quantile",
    "range",
    "ravel",
    "repeat",
    "reshape",
    "roll",
    "rot90",
    "round",
    "scan",
    "scipy",
    "searchsorted",
    "select",
    "softmax",
    "sort",
    "sparsity",
    "split",
    "squeeze",
    "stack",
    "std",
    "stop_gradient",
    "struct",
    "sum",
    "swapaxes",
    "take",
    "take_along_axis",
    "taylor",
    "tensordot",
    "tile",
    "trace",
    "trace_table",
    "transpose",
    "trapezoid",
    "tril",
    "triu",
    "value_and_grad",
    "value_and_gradhessian",
    "value_and_gradhessianv",
    "value_and_hessian",
    "value_and_hessianv",
    "value_and_jacobian",
    "value_and_jacobianTv",
    "value_and_jacobianv",
    "value_and_laplacian",
    "vander",
    "var",
    "vdot",
    "vec",
    "vjp",
    "vmap",
    "vstack",
    "where",
    "while_loop",
    "zeros",
    "zeros_like",
]  # fmt: skip
__all__ += ops.__all__  # the operations


__version__ = VERSION

if not TYPE_CHECKING:  # to a checker, what is not there is an error
    __getattr__ = _missing("rose")
    for _module in (implicit, interpretations, lib, linalg, nn, random, testing, functional):
        _module.__getattr__, _module.__dir__ = _missing(_module.__name__), _listed(_module.__name__)


def __dir__() -> list[str]:
    """The public names, without the rooms of the compiler."""
    modules = ["functional", "implicit", "interpretations", "lib", "linalg", "nn", "random", "testing"]
    return [*__all__, *modules, "__version__"]
