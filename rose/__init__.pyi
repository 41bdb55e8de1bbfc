"""The names of `rose` as type checkers see them.

Made from the table of `rose/__init__.py` by `pytest tests/rose/test_init.py --bless`.
"""

# ruff: noqa: F403
from . import fft as fft
from . import functional as functional
from . import implicit as implicit
from . import interpretations as interpretations
from . import lib as lib
from . import linalg as linalg
from . import nn as nn
from . import optim as optim
from . import random as random
from . import special as special
from . import stats as stats
from . import testing as testing
from .bridges.frameworks import from_jax as from_jax
from .bridges.frameworks import from_torch as from_torch
from .bridges.frameworks import to_jax as to_jax
from .bridges.frameworks import to_torch as to_torch
from .bridges.frameworks import torch_parameters as torch_parameters
from .build import Compiled as Compiled
from .build import compile as compile
from .differentiation.fields import curl as curl
from .differentiation.fields import divergence as divergence
from .differentiation.gradients import Vjp as Vjp
from .differentiation.gradients import grad as grad
from .differentiation.gradients import hvp as hvp
from .differentiation.gradients import jvp as jvp
from .differentiation.gradients import linear_transpose as linear_transpose
from .differentiation.gradients import linearize as linearize
from .differentiation.gradients import value_and_grad as value_and_grad
from .differentiation.gradients import vjp as vjp
from .differentiation.jacobians import hessian as hessian
from .differentiation.jacobians import jacfwd as jacfwd
from .differentiation.jacobians import jacobian as jacobian
from .differentiation.jacobians import jacrev as jacrev
from .differentiation.jets import directional as directional
from .differentiation.jets import jet as jet
from .differentiation.optics import optic as optic
from .differentiation.partials import derivatives as derivatives
from .differentiation.partials import partial_index as partial_index
from .differentiation.polynomials import taylor as taylor
from .differentiation.products import bilaplacian as bilaplacian
from .differentiation.products import gradhessian as gradhessian
from .differentiation.products import gradhessianv as gradhessianv
from .differentiation.products import hessianv as hessianv
from .differentiation.products import jacobianTv as jacobianTv
from .differentiation.products import jacobianv as jacobianv
from .differentiation.products import laplacian as laplacian
from .differentiation.products import value_and_gradhessian as value_and_gradhessian
from .differentiation.products import value_and_gradhessianv as value_and_gradhessianv
from .differentiation.products import value_and_hessian as value_and_hessian
from .differentiation.products import value_and_hessianv as value_and_hessianv
from .differentiation.products import value_and_jacobian as value_and_jacobian
from .differentiation.products import value_and_jacobianTv as value_and_jacobianTv
from .differentiation.products import value_and_jacobianv as value_and_jacobianv
from .differentiation.products import value_and_laplacian as value_and_laplacian
from .differentiation.sparse.pattern import Sparsity as Sparsity
from .differentiation.sparse.pattern import sparsity as sparsity
from .errors import AssertionFailed as AssertionFailed
from .errors import EscapedValue as EscapedValue
from .errors import NotDifferentiable as NotDifferentiable
from .errors import NotLinear as NotLinear
from .errors import OutOfRange as OutOfRange
from .errors import RoseError as RoseError
from .errors import TimedOut as TimedOut
from .errors import TooLarge as TooLarge
from .errors import TypeMismatch as TypeMismatch
from .errors import UnknownName as UnknownName
from .errors import UnrolledLoop as UnrolledLoop
from .errors import WrongSyntax as WrongSyntax
from .explain import Explanation as Explanation
from .explain import explain_nan as explain_nan
from .for_scipy import scipy as scipy
from .frontend import typed_operations as ops  # pyright: ignore[reportMissingModuleSource]
from .frontend.annotations import struct as struct
from .frontend.arrays.counting import nonzero as nonzero
from .frontend.arrays.counting import unique as unique
from .frontend.arrays.creation import arange as arange
from .frontend.arrays.creation import eye as eye
from .frontend.arrays.creation import full as full
from .frontend.arrays.creation import full_like as full_like
from .frontend.arrays.creation import linspace as linspace
from .frontend.arrays.creation import meshgrid as meshgrid
from .frontend.arrays.creation import ones as ones
from .frontend.arrays.creation import ones_like as ones_like
from .frontend.arrays.creation import zeros as zeros
from .frontend.arrays.creation import zeros_like as zeros_like
from .frontend.arrays.einsum import einsum as einsum
from .frontend.arrays.joining import append as append
from .frontend.arrays.joining import array as array
from .frontend.arrays.joining import array_split as array_split
from .frontend.arrays.joining import block as block
from .frontend.arrays.joining import column_stack as column_stack
from .frontend.arrays.joining import concatenate as concatenate
from .frontend.arrays.joining import dstack as dstack
from .frontend.arrays.joining import hstack as hstack
from .frontend.arrays.joining import split as split
from .frontend.arrays.joining import stack as stack
from .frontend.arrays.joining import vstack as vstack
from .frontend.arrays.kinds import astype as astype
from .frontend.arrays.nans import nanmax as nanmax
from .frontend.arrays.nans import nanmean as nanmean
from .frontend.arrays.nans import nanmin as nanmin
from .frontend.arrays.nans import nansum as nansum
from .frontend.arrays.order import argsort as argsort
from .frontend.arrays.order import gradient as gradient
from .frontend.arrays.order import median as median
from .frontend.arrays.order import nan_to_num as nan_to_num
from .frontend.arrays.order import quantile as quantile
from .frontend.arrays.order import sort as sort
from .frontend.arrays.order import take as take
from .frontend.arrays.order import take_along_axis as take_along_axis
from .frontend.arrays.padding import pad as pad
from .frontend.arrays.polynomials import polyval as polyval
from .frontend.arrays.polynomials import vander as vander
from .frontend.arrays.products import convolve as convolve
from .frontend.arrays.products import correlate as correlate
from .frontend.arrays.products import cross as cross
from .frontend.arrays.products import dot as dot
from .frontend.arrays.products import inner as inner
from .frontend.arrays.products import kron as kron
from .frontend.arrays.products import matmul as matmul
from .frontend.arrays.products import outer as outer
from .frontend.arrays.products import tensordot as tensordot
from .frontend.arrays.products import trapezoid as trapezoid
from .frontend.arrays.products import vdot as vdot
from .frontend.arrays.reductions import all_ as all
from .frontend.arrays.reductions import any_ as any
from .frontend.arrays.reductions import argmax as argmax
from .frontend.arrays.reductions import argmin as argmin
from .frontend.arrays.reductions import mean as mean
from .frontend.arrays.reductions import softmax as softmax
from .frontend.arrays.reductions import std as std
from .frontend.arrays.reductions import trace as trace
from .frontend.arrays.reductions import var as var
from .frontend.arrays.running import cummax as cummax
from .frontend.arrays.running import cummin as cummin
from .frontend.arrays.running import cumprod as cumprod
from .frontend.arrays.running import cumsum as cumsum
from .frontend.arrays.running import diff as diff
from .frontend.arrays.searches import interp as interp
from .frontend.arrays.searches import searchsorted as searchsorted
from .frontend.arrays.shaping import atleast_1d as atleast_1d
from .frontend.arrays.shaping import atleast_2d as atleast_2d
from .frontend.arrays.shaping import broadcast_to as broadcast_to
from .frontend.arrays.shaping import copy as copy
from .frontend.arrays.shaping import diag as diag
from .frontend.arrays.shaping import diagonal as diagonal
from .frontend.arrays.shaping import expand_dims as expand_dims
from .frontend.arrays.shaping import flatten as flatten
from .frontend.arrays.shaping import flip as flip
from .frontend.arrays.shaping import fliplr as fliplr
from .frontend.arrays.shaping import flipud as flipud
from .frontend.arrays.shaping import moveaxis as moveaxis
from .frontend.arrays.shaping import ravel as ravel
from .frontend.arrays.shaping import repeat as repeat
from .frontend.arrays.shaping import reshape as reshape
from .frontend.arrays.shaping import roll as roll
from .frontend.arrays.shaping import rot90 as rot90
from .frontend.arrays.shaping import squeeze as squeeze
from .frontend.arrays.shaping import swapaxes as swapaxes
from .frontend.arrays.shaping import tile as tile
from .frontend.arrays.shaping import transpose as transpose
from .frontend.arrays.shaping import tril as tril
from .frontend.arrays.shaping import triu as triu
from .frontend.arrays.statistics import average as average
from .frontend.arrays.statistics import corrcoef as corrcoef
from .frontend.arrays.statistics import count_nonzero as count_nonzero
from .frontend.arrays.statistics import cov as cov
from .frontend.arrays.statistics import percentile as percentile
from .frontend.arrays.statistics import ptp as ptp
from .frontend.decorators import fn as fn
from .frontend.decorators import opaque as opaque
from .frontend.eager import eager as eager
from .frontend.function import Fn as Fn
from .frontend.language.accumulators import accum as accum
from .frontend.language.control import cond as cond
from .frontend.language.control import fori_loop as fori_loop
from .frontend.language.control import scan as scan
from .frontend.language.control import switch as switch
from .frontend.language.control import while_loop as while_loop
from .frontend.language.debugging import assert_ as assert_
from .frontend.language.debugging import print as print
from .frontend.language.indices import index as index
from .frontend.language.lenses import lens as lens
from .frontend.language.loops import max as max
from .frontend.language.loops import min as min
from .frontend.language.loops import prod as prod
from .frontend.language.loops import range as range
from .frontend.language.loops import sum as sum
from .frontend.language.loops import vec as vec
from .frontend.language.select import abs as abs
from .frontend.language.select import constant as constant
from .frontend.language.select import select as select
from .frontend.language.select import stop_gradient as stop_gradient
from .frontend.language.select import where as where
from .frontend.language.vectors import logsumexp as logsumexp
from .frontend.language.vectors import norm as norm
from .frontend.own_operations import op as op
from .frontend.text_programs import parse as parse
from .frontend.typed import Bool as Bool
from .frontend.typed import Complex as Complex
from .frontend.typed import Dual as Dual
from .frontend.typed import Fin as Fin
from .frontend.typed import Real as Real
from .frontend.typed import Tan as Tan
from .frontend.typed import Unit as Unit
from .frontend.typed import Vec as Vec
from .frontend.typed_operations import *  # pyright: ignore[reportMissingModuleSource]
from .frontend.vmap import vmap as vmap
from .interpretations.interpret import interpret as interpret
from .ir.ops import pow_ as pow
from .ir.ops import round_ as round
from .ir.sizes import dim as dim
from .wengert import TraceTable as TraceTable
from .wengert import trace_table as trace_table

__all__ = [
    "AssertionFailed", "Bool", "Compiled", "Complex", "Dual", "EscapedValue", "Explanation", "Fin", "Fn",
    "NotDifferentiable", "NotLinear", "OutOfRange", "Real", "RoseError", "Sparsity", "Tan", "TimedOut",
    "TooLarge", "TraceTable", "TypeMismatch", "Unit", "UnknownName", "UnrolledLoop", "Vec", "Vjp", "WrongSyntax",
    "abs", "accum", "all", "any", "append", "arange", "argmax", "argmin", "argsort", "array", "array_split",
    "assert_", "astype", "atleast_1d", "atleast_2d", "average", "bilaplacian", "block", "broadcast_to",
    "column_stack", "compile", "concatenate", "cond", "constant", "convolve", "copy", "corrcoef", "correlate",
    "count_nonzero", "cov", "cross", "cummax", "cummin", "cumprod", "cumsum", "curl", "derivatives", "diag",
    "diagonal", "diff", "dim", "directional", "divergence", "dot", "dstack", "eager", "einsum", "expand_dims",
    "explain_nan", "eye", "flatten", "flip", "fliplr", "flipud", "fn", "fori_loop", "from_jax", "from_torch",
    "full", "full_like", "grad", "gradhessian", "gradhessianv", "gradient", "hessian", "hessianv", "hstack",
    "hvp", "index", "inner", "interp", "interpret", "jacfwd", "jacobian", "jacobianTv", "jacobianv", "jacrev",
    "jet", "jvp", "kron", "laplacian", "lens", "linear_transpose", "linearize", "linspace", "logsumexp", "matmul",
    "max", "mean", "median", "meshgrid", "min", "moveaxis", "nan_to_num", "nanmax", "nanmean", "nanmin", "nansum",
    "nonzero", "norm", "ones", "ones_like", "op", "opaque", "optic", "outer", "pad", "parse", "partial_index",
    "percentile", "polyval", "pow", "print", "prod", "ptp", "quantile", "range", "ravel", "repeat", "reshape",
    "roll", "rot90", "round", "scan", "scipy", "searchsorted", "select", "softmax", "sort", "sparsity", "split",
    "squeeze", "stack", "std", "stop_gradient", "struct", "sum", "swapaxes", "switch", "take", "take_along_axis",
    "taylor", "tensordot", "tile", "to_jax", "to_torch", "torch_parameters", "trace", "trace_table", "transpose",
    "trapezoid", "tril", "triu", "unique", "value_and_grad", "value_and_gradhessian", "value_and_gradhessianv",
    "value_and_hessian", "value_and_hessianv", "value_and_jacobian", "value_and_jacobianTv",
    "value_and_jacobianv", "value_and_laplacian", "vander", "var", "vdot", "vec", "vjp", "vmap", "vstack",
    "where", "while_loop", "zeros", "zeros_like",
]  # fmt: skip
__all__ += ops.__all__

__version__: str
