"""Source locations: from the stack frame of a user to an expression, the part of it that is meant, and its carets."""

from __future__ import annotations

import ast
import dis
import functools
import linecache
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice
from types import CodeType, FrameType
from typing import Any, NamedTuple, cast

_ROOM = os.path.dirname(os.path.dirname(__file__))
_ROOTS = (_ROOM + os.sep, os.path.join(os.path.dirname(_ROOM), "wasm_backend") + os.sep)
_LIBRARY = os.path.dirname(os.__file__) + os.sep
_INSTALLED = tuple(f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))
_CALLERS = tuple(f"{name}{package}{os.sep}" for name in _INSTALLED for package in ("numpy", "scipy", "pandas"))
_ours: dict[str, bool] = {}
_users: dict[str, bool] = {}


def is_ours(file: str) -> bool:
    """True if `file` belongs to this package."""
    known = _ours.get(file)
    if known is None:
        known = _ours[file] = file.startswith(_ROOTS)
    return known


def is_numpys(file: str) -> bool:
    """True if `file` belongs to NumPy, or to what stands on it: SciPy, pandas."""
    return any([name in file for name in _CALLERS])


def _is_users(code: CodeType) -> bool:
    """True if a user can be sent to `code`: it is not ours, nor Python's, NumPy's or SciPy's, nor a dataclass's."""
    file = code.co_filename
    if file == "<string>":
        return not code.co_name.startswith("__")
    library = file.startswith(_LIBRARY) and not any(name in file for name in _INSTALLED)
    others = library or file.startswith("<frozen ") or is_numpys(file)
    _users[file] = known = not (others or is_ours(file))
    return known


def is_users(code: CodeType) -> bool:
    """True if `code` is of the user's own, or of a package that is neither ours, Python's, NumPy's nor SciPy's."""
    known = _users.get(code.co_filename)
    return _is_users(code) if known is None else known


def users_frame() -> FrameType:
    """The innermost frame that is the user's; the outermost of all, if none is."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while not is_users(frame.f_code) and (outer := frame.f_back) is not None:
        frame = outer
    return frame


def is_direct() -> bool:
    """True if the user's code itself called into this package, and not NumPy's or SciPy's that the user called."""
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return frame is users_frame()


_LANGUAGE = tuple([os.path.join(_ROOM, room) + os.sep for room in ("errors", "ir", "frontend")])


def by_library() -> bool:
    """True if the user's code called a library of ours, which called the language: its loops are none of the user's."""
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None and frame.f_code.co_filename.startswith(_LANGUAGE):
        frame = frame.f_back
    return frame is not None and is_ours(frame.f_code.co_filename)


def here(depth: int = 1) -> Loc:
    """The expression that the innermost frame of the user's is at: the caller's, or so many frames around this one.

    Each instruction asks: a frame that is looked at takes 0.1 us, `Loc` twice what making the tuple takes.
    """
    frame, known = sys._getframe(depth), _users.get  # pyright: ignore[reportPrivateUsage]
    while not (users := known(frame.f_code.co_filename)):
        if (users is None and _is_users(frame.f_code)) or (outer := frame.f_back) is None:
            break
        frame = outer
    return _new(Loc, (frame.f_code, frame.f_lasti, None))


_new: Any = cast("Any", tuple).__new__


Span = tuple[int, int, int, int]  # first and last line, first and last column, as the syntax tree counts them
Finder = Callable[["_Source", ast.AST], ast.AST | None]  # from an expression to the part of it that is meant


class _Source:
    """The syntax of a file: its nodes by what they span, and its functions by where they start."""

    def __init__(self, text: str) -> None:
        self.at: dict[Span, ast.AST] = {}
        self.around: dict[ast.AST, ast.AST] = {}
        self.defined: dict[tuple[int, str], ast.AST] = {}
        for node in ast.walk(ast.parse(text)):
            self.around.update(dict.fromkeys(ast.iter_child_nodes(node), node))
            if (span := _span(node)) is not None:
                self.at[span] = node  # of several the innermost, as they are walked from the outside in
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.defined[min([node.lineno, *[d.lineno for d in node.decorator_list]]), node.name] = node
            elif isinstance(node, ast.Lambda):
                self.defined[node.lineno, "<lambda>"] = node


def _span(node: ast.AST) -> Span | None:
    if not isinstance(node, (ast.expr, ast.stmt, ast.arg)) or node.end_lineno is None or node.end_col_offset is None:
        return None
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


_parsing = threading.Lock()  # CPython 3.11 parses in one thread at a time: in two, it may raise a SystemError


@functools.lru_cache(maxsize=32)
def _parsed(text: str) -> _Source | None:
    try:
        with _parsing:
            return _Source(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _lines(code: CodeType) -> list[str]:
    """The lines of the text that a code object is from."""
    return linecache.getlines(code.co_filename) or (_timed_cell(code) if is_timed(code) else [])


def is_timed(code: CodeType) -> bool:
    """True in a cell of a notebook that begins with `%%time` or `%%timeit`: IPython keeps no source under its name."""
    return code.co_filename in ("<timed exec>", "<magic-timeit>")


def _timed_cell(code: CodeType) -> list[str]:
    """The lines of the last timed cell with the function of `code`, as IPython's history of cells has it."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    function = next((k for k in reversed(code.co_qualname.split(".")) if k == "<lambda>" or k[0] != "<"), "inner")
    for cell in reversed(getattr(shell, "user_ns", {}).get("In", ())):
        if (magic := _magic(cell)) is not None:
            text = shell.transform_cell(magic)
            source = _parsed(text)
            there = {} if source is None else source.defined
            if function == "inner" or (code.co_firstlineno, function) in there or (
                function != code.co_name and function in [name for _, name in there]
            ):  # fmt: skip
                return text.splitlines(keepends=True)
    return []


def _magic(cell: str) -> str | None:
    """The text that a timed cell runs; None for any other cell."""
    match ast.parse(cell).body if "run_cell_magic(" in cell else []:
        case [ast.Expr(ast.Call(args=[ast.Constant("time" | "timeit"), _, ast.Constant(str(text))]))]:
            return text
        case _:
            return None


class Loc(NamedTuple):
    """The location of an expression: it takes two words; the line is looked up when it is printed.

    Where `lasti` is -1, it is the definition of a function. `part` finds what is meant in the expression.
    """

    code: CodeType
    lasti: int
    part: Finder | None = None

    def narrow(self, part: Finder) -> Loc:
        """A part of the expression, or all of it where that cannot be found."""
        return Loc(self.code, self.lasti, part)

    def into(self, path: Sequence[str | int]) -> Loc:
        """An item of the list, tuple or dict that is written there, or of one in it; as far as they are written."""
        whole = self.part

        def find(source: _Source, node: ast.AST) -> ast.AST | None:
            found = node if whole is None else whole(source, node)
            for k in path:
                inner = None if found is None else _item(found, k)
                if inner is None:
                    break
                found = inner
            return found

        return self.narrow(find)

    def node(self) -> tuple[_Source, ast.AST] | None:
        """The expression in the syntax of its file; None where that cannot be had."""
        source = _parsed("".join(_lines(self.code)))
        if source is None:
            return None
        key = self.code.co_firstlineno, self.code.co_name
        node = source.defined.get(key) if self.lasti < 0 else source.at.get(self._where() or (0, 0, 0, 0))
        return None if node is None else (source, node)

    def _where(self) -> Span | None:
        """The position that Python itself knows (PEP 657)."""
        nothing = (None, None, None, None)
        line, end_line, col, end = next(islice(self.code.co_positions(), max(self.lasti, 0) // 2, None), nothing)
        if line is None or end_line is None or col is None or end is None:
            return None
        return line, end_line, col, end

    def _line(self) -> int:
        if self.lasti < 0:
            return self.code.co_firstlineno
        where = next(islice(self.code.co_positions(), self.lasti // 2, None), (None,))
        return where[0] or self.code.co_firstlineno

    def position(self) -> tuple[str, int, int, int]:
        """File, line, and the columns of the expression itself, counted in characters."""
        span = None if self.lasti < 0 else self._where()
        if (found := self.node()) is not None:
            node = self.part(*found) if self.part is not None else _heart(found[1])
            span = _headline(node or found[1], self.text) or span
        file = self.code.co_filename
        if span is None:
            text = self.text(line := self._line())
            return file, line, len(text) - len(text.lstrip()), len(text)
        line, end_line, col, end = span
        raw = self.text(line).encode()
        if end_line != line:
            end = len(raw.rstrip())
        return file, line, len(raw[:col].decode(errors="replace")), len(raw[:end].decode(errors="replace"))

    def text(self, line: int) -> str:
        lines = _lines(self.code)
        return lines[line - 1].rstrip("\n") if 0 < line <= len(lines) else ""

    def __str__(self) -> str:
        file, line, _, _ = self.position()
        return f"{file}:{line}"

    def excerpt(self) -> str:
        """The line, and a caret under the expression; empty where the source cannot be had."""
        _, line, col, end = self.position()
        text = self.text(line)
        if not text.strip():
            return ""
        indent = len(text) - len(text.lstrip())
        start = max(indent, col - 60) if len(text) - indent > _WIDTH else indent
        shown, col, end = text[start : start + _WIDTH], max(col - start, 0), min(end - start, _WIDTH)
        return f"    {shown}\n    {' ' * col}{'^' * max(end - col, 1)}"


_WIDTH = 120


def _headline(node: ast.AST, text: Callable[[int], str]) -> Span | None:
    """The node to underline: of a function the name."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        after = text(node.lineno).encode().find(b"def ", node.col_offset) + 4
        col = text(node.lineno).encode().find(node.name.encode(), after)
        return node.lineno, node.lineno, col, col + len(node.name.encode())
    return _span(node)


def _heart(node: ast.AST) -> ast.AST:
    """The part that Python means by a node: what an `if` asks for, what a `for` goes through."""
    if isinstance(node, (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)) and len(node.generators) == 1:
        return node.generators[0].iter
    return node.test if isinstance(node, ast.IfExp) else node.iter if isinstance(node, ast.For) else node


def _item(node: ast.AST, k: str | int) -> ast.AST | None:
    """An item of a list, tuple or dict that is written out, or a named argument of a call."""
    if isinstance(node, (ast.List, ast.Tuple)) and isinstance(k, int):
        return node.elts[k] if k < len(node.elts) and not any(isinstance(x, ast.Starred) for x in node.elts) else None
    if isinstance(node, ast.Dict):
        there = zip(node.keys, node.values, strict=True)
        return next((x for name, x in there if isinstance(name, ast.Constant) and name.value == k), None)
    if isinstance(node, ast.Call):
        if k in _DUAL and len(node.args) == len(_DUAL):
            return node.args[_DUAL.index(k)]
        return next((a.value for a in node.keywords if a.arg == k), None)
    return None


_DUAL = ("re", "du")  # as they are given to `Dual`


def argument(k: int, name: str, *counts: int) -> Finder:
    """The argument of a call by its place or its name, where so many arguments are given one by one."""

    def find(_: _Source, node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.Call) or len(node.args) + len(node.keywords) not in counts:
            return None
        if any(isinstance(a, ast.Starred) for a in node.args):
            return None
        named = [a.value for a in node.keywords if a.arg == name]
        return named[0] if named else node.args[k] if k < len(node.args) else None

    return find


def parameter(name: str) -> Finder:
    """A parameter in the definition of a function, with its type."""

    def find(_: _Source, node: ast.AST) -> ast.AST | None:
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return None
        a = node.args
        there = [*a.posonlyargs, *a.args, *a.kwonlyargs, *[x for x in (a.vararg, a.kwarg) if x is not None]]
        return next((p for p in there if p.arg == name), None)

    return find


def annotation(name: str) -> Finder:
    """The type of a parameter in the definition of a function; "return" is its result."""
    find_parameter = parameter(name)

    def find(source: _Source, node: ast.AST) -> ast.AST | None:
        if name == "return" and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return node.returns
        found = find_parameter(source, node)
        return found.annotation or found if isinstance(found, ast.arg) else None

    return find


def field(name: str) -> Finder:
    """The type of a field, from the decorator of its class."""

    def find(source: _Source, node: ast.AST) -> ast.AST | None:
        cls = source.around.get(node)
        body = cls.body if isinstance(cls, ast.ClassDef) else []
        there = [x for x in body if isinstance(x, ast.AnnAssign) and isinstance(x.target, ast.Name)]
        return next((x.annotation for x in there if ast.unparse(x.target) == name), None)

    return find


def returned(_: _Source, node: ast.AST) -> ast.AST | None:
    """The expression that a function returns, if there is one; else the type of its result."""
    if isinstance(node, ast.Lambda):
        return node.body
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    found: list[ast.Return] = []
    todo: list[ast.AST] = [*node.body]
    while todo:
        x = todo.pop()
        if isinstance(x, ast.Return):
            found.append(x)
        if not isinstance(x, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            todo.extend(ast.iter_child_nodes(x))
    return found[0].value or found[0] if len(found) == 1 else node.returns


def operand_of(side: str) -> Finder:
    """The "left" or "right" operand of an operator."""

    def find(_: _Source, node: ast.AST) -> ast.AST | None:
        if isinstance(node, ast.AugAssign):
            return node.target if side == "left" else node.value
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return node.left if side == "left" else node.comparators[0]
        return getattr(node, side, None) if isinstance(node, ast.BinOp) else None

    return find


def added(_: _Source, node: ast.AST) -> ast.AST | None:
    """The expression that `x += y` adds."""
    return node.value if isinstance(node, ast.AugAssign) else None


def subscript(_: _Source, node: ast.AST) -> ast.AST | None:
    """The index in `x[i]`."""
    return node.slice if isinstance(node, ast.Subscript) else None


def called(loc: Loc) -> str:
    """The name of the function that is called there, without its module; empty if it is not a call of a name."""
    found = loc.node()
    f = found[1].func if found is not None and isinstance(found[1], ast.Call) else None
    return f.id if isinstance(f, ast.Name) else f.attr if isinstance(f, ast.Attribute) else ""


def asked(loc: Loc) -> str:
    """The construct that asks for the truth of the expression there: "if", "while", "chain", a function; or nothing."""
    found = loc.node()
    if found is None:
        return ""
    source, node = found
    if isinstance(node, ast.Compare) and (len(node.ops) > 1 or isinstance(node.ops[0], (ast.In, ast.NotIn))):
        return "chain" if len(node.ops) > 1 else "in"
    if isinstance(node, ast.Call) and called(loc) in _ASKING:
        return called(loc)
    for x in (node, source.around.get(node)):
        if isinstance(x, ast.BoolOp):
            return "and" if isinstance(x.op, ast.And) else "or"
        if isinstance(x, ast.UnaryOp) and isinstance(x.op, ast.Not):
            return "not"
        if isinstance(x, (ast.If, ast.IfExp, ast.While, ast.Assert)) and (x is node or x.test is node):
            return "while" if isinstance(x, ast.While) else "assert" if isinstance(x, ast.Assert) else "if"
        if isinstance(x, ast.pattern):
            return "if"
        if isinstance(x, ast.comprehension) and node in x.ifs:
            return "filter"
    return ""


_BINARY, _ASSIGNED = dis.opmap["BINARY_OP"], range(13, 26)  # the arguments of the instruction for `+=` and its kind


def is_augmented(loc: Loc) -> bool:
    """True for an augmented assignment, `x += y`, also where there is no source."""
    at, code = loc.lasti, loc.code.co_code
    return at >= 0 and code[at] == _BINARY and code[at + 1] in _ASSIGNED


def is_stored(loc: Loc) -> bool:
    """True for an assignment to an element, `x[i] = y`."""
    return loc.lasti >= 0 and loc.code.co_code[loc.lasti] == dis.opmap["STORE_SUBSCR"]


_SPREADING = [dis.opmap[name] for name in ("UNPACK_SEQUENCE", "UNPACK_EX", "CALL_FUNCTION_EX", "LIST_EXTEND")]


def is_unpacked(loc: Loc) -> bool:
    """True where something is spread over names, `a, b = x`, or arguments or items, `*x`; also without source."""
    return loc.lasti >= 0 and loc.code.co_code[loc.lasti] in _SPREADING


def is_looped(loc: Loc) -> bool:
    """True where a loop of Python's begins, `for a in x`, in a comprehension too, also without source; or `dict(x)`."""
    op = loc.code.co_code[loc.lasti] if loc.lasti >= 0 else -1
    return op == dis.opmap["GET_ITER"] or (op == dis.opmap["CALL"] and called(loc) in _PASSING_ON)


_PASSING_ON = ("enumerate", "list", "tuple", "dict")  # the items go on to a loop around, or are unpacked


def unpacks_each(loc: Loc) -> bool:
    """True where a loop goes through something whose items it unpacks: `for a, b in x`, in a comprehension too.

    So do `for i, (a, b) in enumerate(x)`, and `dict(x)`.
    """
    if (found := loc.node()) is None:
        return False
    source, node = found
    loop = next(iter(getattr(node, "generators", ())), node if isinstance(node, ast.For) else source.around.get(node))
    target = loop.target if isinstance(loop, (ast.For, ast.comprehension)) else None
    name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    if name == "enumerate":
        target = target.elts[-1] if isinstance(target, ast.Tuple) else None
    return name == "dict" or isinstance(target, (ast.Tuple, ast.List))


def is_imported(loc: Loc) -> bool:
    """True for `from module import name`."""
    return loc.lasti >= 0 and loc.code.co_code[loc.lasti] == dis.opmap["IMPORT_FROM"]


_ASKING = ("min", "max", "any", "all", "sorted")


def repeated(error: RecursionError) -> Loc:
    """The expression of the user's that is most often on the traceback of an error."""
    found = _on_traceback(error)
    return Counter(found).most_common(1)[0][0] if found else here()


def innermost(error: BaseException) -> Loc:
    """The expression of the user's from which an error came."""
    found = _on_traceback(error)
    return found[-1] if found else here()


def _on_traceback(error: BaseException) -> list[Loc]:
    """The expressions of the user's on the traceback of an error, from the outside in."""
    found = list[Loc]()
    tb = error.__traceback__
    while tb is not None:
        if _is_users(tb.tb_frame.f_code):
            found.append(Loc(tb.tb_frame.f_code, tb.tb_lasti))
        tb = tb.tb_next
    return found
