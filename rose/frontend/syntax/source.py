"""`@fn(syntax=True)`: plain `if`, `while`, `for`, `and`, `or`, `not`, `x if c else y` on traced values.

The source of the function is parsed, calls of `runtime.py` are put around its branches and loops, and it is compiled
again. The user's code stays in one function, at its own lines and columns, so errors and tracebacks point at the
user's text. A construct that is not understood is an error, at its line.
"""

from __future__ import annotations
import __future__

import ast
import copy
import functools
from itertools import pairwise
from types import CellType, CodeType, FunctionType
from typing import Any

from ...errors import Loc, RoseError, TypeMismatch, edge, here
from ...errors.locations import is_timed
from ...ir import shown
from ...ir.types import Type
from . import runtime
from .converter import RUN, Rewriter


@edge
def rewrite(f: Any, result: Type) -> Any:
    """The copy of `f` whose branches and loops call `runtime.py`, which decides them when it is traced."""
    if not isinstance(f, FunctionType):
        hint = "mark a function that is written with def, directly above it"
        raise TypeMismatch(f"syntax=True rewrites a Python function, not {shown(f)}", here(), hint)
    if hasattr(f, "__wrapped__"):
        hint = "put @fn(syntax=True) directly above the `def`, and other decorators above it"
        raise TypeMismatch(f"{f.__name__} is the result of a decorator: its source is another function's", here(), hint)
    code = _rewritten(f.__code__, f.__qualname__)
    cells = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))
    cells[RUN] = CellType(functools.partial(runtime.Run, result))
    made = FunctionType(code, f.__globals__, f.__name__, f.__defaults__, tuple([cells[k] for k in code.co_freevars]))
    made.__qualname__, made.__doc__, made.__module__ = f.__qualname__, f.__doc__, f.__module__
    made.__kwdefaults__ = f.__kwdefaults__
    for name in ("__annotate__", "__type_params__") if hasattr(f, "__annotate__") else ("__annotations__",):
        setattr(made, name, getattr(f, name))
    made.__dict__.update(f.__dict__)
    return made


@functools.lru_cache(maxsize=256)
def _rewritten(code: CodeType, qualname: str) -> CodeType:
    """The code of the rewritten function."""
    loc = Loc(code, -1)
    found = loc.node()
    if found is None:
        hint = "put the function into a file, from which its source can be read"
        if is_timed(code):
            hint = "remove %%time from the cell: IPython has no source of a function that is written in a timed cell"
        raise RoseError(f"the source of {code.co_name} cannot be read, and syntax=True needs it", loc, hint)
    source, node = found[0], _definition(found[1])
    if isinstance(node, ast.Lambda) and sum(_is_lambda_at(x, node.lineno) for x in source.at.values()) > 1:
        raise RoseError("several lambdas stand on this line", loc, "write the function with def")
    plain = _compiled(copy.deepcopy(node), code, qualname, ())
    has_assert = any(isinstance(x, ast.Assert) for x in ast.walk(node))  # which pytest rewrites, too
    if not has_assert and _fingerprint(plain) != _fingerprint(code):
        hint = "import it again; a tool that rewrites functions when they are imported hides their source"
        raise RoseError(f"the source of {code.co_name} is not what runs", loc, hint)
    return _compiled(Rewriter(code, _class_of(qualname)).function(copy.deepcopy(node)), code, qualname, (RUN,))


def _definition(node: ast.AST) -> ast.FunctionDef | ast.Lambda:
    assert isinstance(node, (ast.FunctionDef, ast.Lambda))
    return node


def _fingerprint(code: CodeType) -> tuple[Any, ...]:
    """Equal for two code objects that are compiled from one text, wherever it stands."""
    consts = [x for x in code.co_consts if not isinstance(x, CodeType)]
    lines = sorted({line for _, _, line in code.co_lines() if line is not None})
    return code.co_names, code.co_varnames, set(code.co_freevars), repr(consts), lines


def _is_lambda_at(node: ast.AST, line: int) -> bool:
    return isinstance(node, ast.Lambda) and node.lineno == line


def _compiled(node: ast.FunctionDef | ast.Lambda, code: CodeType, qualname: str, more: tuple[str, ...]) -> CodeType:
    """The code of a function, compiled with its free variables, `more` of them, and the private names of its class."""
    a = node.args
    for x in [*a.posonlyargs, *a.args, *a.kwonlyargs, *[x for x in (a.vararg, a.kwarg) if x is not None]]:
        x.annotation = None
    nothing = ast.copy_location(ast.Constant(None), node)
    a.defaults, a.kw_defaults = [nothing for _ in a.defaults], [x and nothing for x in a.kw_defaults]
    if isinstance(node, ast.FunctionDef):
        node.decorator_list, node.returns = [_at_line(code.co_firstlineno) for _ in node.decorator_list[:1]], None
        for name in {"type_params"}.intersection(node._fields):
            setattr(node, name, [])
    inner: ast.stmt = node if isinstance(node, ast.FunctionDef) else ast.copy_location(ast.Expr(node), node)
    if (around := _class_of(qualname)) is not None:
        (cls,) = ast.parse(f"class {around}: pass").body
        assert isinstance(cls, ast.ClassDef)
        cls.body, inner = [inner], cls
    (outer,) = ast.parse("def outer(): pass").body
    assert isinstance(outer, ast.FunctionDef)
    outer.args.args = [ast.copy_location(ast.arg(k), outer) for k in (*code.co_freevars, *more)]
    outer.body = [inner]
    tree = ast.fix_missing_locations(ast.Module([outer], []))
    flags = code.co_flags & _FUTURE
    module = compile(tree, code.co_filename, "exec", flags, dont_inherit=True)
    found = _find(module, code)
    assert found is not None
    return found


_FUTURE = __future__.annotations.compiler_flag | __future__.barry_as_FLUFL.compiler_flag


def _class_of(qualname: str) -> str | None:
    """The innermost class in which a function is written, by its qualified name."""
    parts = qualname.split(".")
    classes = [x for x, y in pairwise(parts) if "<locals>" not in (x, y)]
    return classes[-1] if classes else None


def _at_line(line: int) -> ast.expr:
    return ast.Constant(None, lineno=line, end_lineno=line, col_offset=0, end_col_offset=1)


def _find(code: CodeType, like: CodeType) -> CodeType | None:
    """The code object inside of `code` with the name and the line of `like`."""
    for x in code.co_consts:
        if isinstance(x, CodeType):
            if (x.co_name, x.co_firstlineno) == (like.co_name, like.co_firstlineno):
                return x
            if (found := _find(x, like)) is not None:
                return found
    return None
