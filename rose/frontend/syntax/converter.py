"""The conversion of a syntax tree for `@fn(syntax=True)`: calls of `runtime.py` around its branches and loops."""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Callable
from types import CodeType
from typing import Any, TypeVar, cast

from ...errors import Loc, RoseError, TypeMismatch
from .jumps import EARLY, RETURNED, Jumps, falls
from .liveness import Liveness, bodies, bound, inside, late
from .makers import NAMES

N = TypeVar("N", bound=ast.AST)
RUN, RESULT = "@run", "@result"  # the variables of a rewritten function with `runtime.Run`, and with its result

Body = list[ast.stmt]

UNDERSTOOD = {  # Python's statements and expressions that are rewritten, or stay as they are
    "AnnAssign", "Assert", "Assign", "AugAssign", "Break", "ClassDef", "Continue", "Delete", "Expr", "For",
    "FunctionDef", "If", "Import", "ImportFrom", "Match", "Pass", "Raise", "Return", "Try", "TryStar", "TypeAlias",
    "While", "With",
    "Attribute", "BinOp", "BoolOp", "Call", "Compare", "Constant", "Dict", "DictComp", "FormattedValue",
    "GeneratorExp", "IfExp", "Interpolation", "JoinedStr", "Lambda", "List", "ListComp", "Name", "NamedExpr", "Set",
    "SetComp", "Slice", "Starred", "Subscript", "TemplateStr", "Tuple", "UnaryOp",
}  # fmt: skip
REFUSED = {  # the others, and what to write instead
    "AsyncFor": "write a plain `for`",
    "AsyncFunctionDef": "write a plain `def`",
    "AsyncWith": "write a plain `with`",
    "Await": "call a plain function",
    "Global": "return the value, or keep it in a variable of this function",
    "Nonlocal": "return the value, or keep it in a variable of this function",
    "Yield": "return a vector: rose.vec makes one",
    "YieldFrom": "return a vector: rose.vec makes one",
}
_INTROSPECTION = ("locals", "vars", "dir", "eval", "exec")  # they would see variables that are not the user's
_COPIES = 500  # statements that may be written twice, for branches of which some return and some go on


# templates


class _Fill(ast.NodeTransformer):
    """Fills the placeholders of a template with parts, and gives all else the location of the user's node `at`."""

    def __init__(self, at: ast.AST, parts: dict[str, Any]) -> None:
        self.at, self.parts = at, parts

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Name) and node.id in self.parts:
            part = self.parts[node.id]
            if isinstance(part, ast.AST):
                return part
            return ast.copy_location(ast.Name(part, node.ctx), self.at)
        self.generic_visit(node)
        return ast.copy_location(node, self.at) if isinstance(node, (ast.expr, ast.stmt)) else node


def _filled(template: str, at: ast.AST, **parts: Any) -> Body:
    """The statements of a template. A part is a node, a name, or a list of statements."""
    out: Body = []
    lists: dict[str, Body] = {k: v for k, v in parts.items() if isinstance(v, list)}
    fill = _Fill(at, {"RUN": _THIS, **{k: v for k, v in parts.items() if k not in lists}})
    for s in _parsed(template):
        out.append(fill.visit(copy.deepcopy(s)))
    return _spliced(out, lists)


@functools.lru_cache(maxsize=64)
def _parsed(template: str) -> Body:
    return ast.parse(template).body


_THIS = "@this"


def _spliced(body: Body, lists: dict[str, Body]) -> Body:
    out: Body = []
    for s in body:
        if isinstance(s, ast.Expr) and isinstance(s.value, ast.Name) and s.value.id in lists:
            out.extend(lists[s.value.id])
            continue
        for field in ("body", "orelse"):
            if hasattr(s, field):
                setattr(s, field, _spliced(getattr(s, field), lists))
        out.append(s)
    return out


def _names(names: list[str], at: ast.AST) -> ast.expr:
    return _placed(ast.Tuple([ast.Constant(k) for k in names], ast.Load()), at)


def _placed(node: N, at: ast.AST) -> N:
    for x in ast.walk(node):
        if isinstance(x, (ast.expr, ast.stmt)) and not hasattr(x, "lineno"):
            ast.copy_location(x, at)
    return node


_IF = """
HERE = RUN.choose(TEST, NAMES, LIVE, LATE, UNDER, RUN.locals())
if HERE.then():
    BODY
    HERE.end(RUN.locals())
if HERE.otherwise():
    if HERE.traced:
        pass
        TAKE
    ORELSE
    HERE.end(RUN.locals())
if HERE.traced:
    pass
    TAKE2
"""
_WHILE = """
HERE = RUN.repeat(NAMES, LIVE, UNDER)
while HERE.more() and HERE.holds(TEST, RUN.locals()):
    if HERE.traced:
        TAKE
        HERE.asked(AGAIN)
        TAKE2
    BODY
    if HERE.traced:
        HERE.end(RUN.locals())
        TAKE3
else:
    pass
    ORELSE
"""
_FOR = """
HERE = RUN.each(RUN.iter(ITEMS), NAMES, LIVE, UNDER, RUN.locals(), FLAG)
for TARGET in HERE.iterations():
    if HERE.traced:
        pass
        TAKE
    BODY
    HERE.end(RUN.locals())
else:
    if HERE.traced:
        pass
        TAKE2
    ORELSE
"""
_TAKE = """
NAME = HERE.take(TEXT)
if NAME is RUN.nothing:
    del NAME
"""
_EARLY = """
RETURNED = False
EARLY = RUN.blank()
"""
_AROUND = """
RUN = MAKE()
try:
    BODY
finally:
    RUN.close()
"""


class Rewriter:
    """Rewrites one function: `function` does, by the templates above."""

    def __init__(self, code: CodeType, cls: str | None) -> None:
        self.cls = (cls or "").lstrip("_")
        self.code, self.count, self.copies = code, 0, 0
        self.around: list[tuple[str, bool]] = []  # the branches and loops around a statement; True for loops
        self.under = ""  # "try" or "with", inside of one

    def wrong(self, node: ast.AST, what: str, hint: str) -> RoseError:
        place = copy.copy(node)
        return TypeMismatch(what, Loc(self.code, -1).narrow(lambda _source, _node: place), hint)

    def function(self, node: ast.FunctionDef | ast.Lambda) -> ast.FunctionDef | ast.Lambda:
        """The definition `node`, rewritten in place, with a `runtime.Run` around its statements."""
        value = node.body if isinstance(node, ast.Lambda) else None
        body: Body = [ast.copy_location(ast.Return(value), value)] if value is not None else [*_statements(node)]
        a = node.args
        params = [*a.posonlyargs, *a.args, *a.kwonlyargs, *[x for x in (a.vararg, a.kwarg) if x is not None]]
        self.local = {*[x.arg for x in params], *bound(body)}
        self.check(body)
        if isinstance(node, ast.Lambda):
            node.body = self.expression(node.body)
            run = ast.copy_location(ast.Name(RUN, ast.Load()), node.body)
            _Renamed(run).visit(node)
            return node
        start = ast.get_docstring(node, clean=False) is not None
        jumps = Jumps(self.copied)
        rest = jumps.block(body[start:])
        if jumps.returns:
            rest = [*_filled(_EARLY, rest[0], RETURNED=RETURNED, EARLY=EARLY), *rest]
        self.local.update(bound(rest))
        if any(_returns(s) for s in rest):
            rest = [*self.tail(rest, rest[-1]), *_filled("return RESULT", rest[-1], RESULT=RESULT)]
        self.live, self.late = Liveness(rest), late(rest)
        first = rest[0] if rest else node.body[0]
        around = _filled(_AROUND, first, MAKE=RUN, BODY=self.block(rest) or [ast.copy_location(ast.Pass(), first)])
        node.body = [*body[:start], *around]
        return node

    def check(self, body: Body) -> None:
        """Refuse what cannot be rewritten, wherever it stands."""
        for node in [x for s in body for x in ast.walk(s)]:
            kind = type(node).__name__
            if kind in REFUSED and not isinstance(node, ast.Nonlocal):
                if isinstance(node, (ast.Global, ast.AsyncFunctionDef)) or node in inside(body):
                    raise self.wrong(node, f"syntax=True does not take {_LONG.get(kind, kind.lower())}", REFUSED[kind])
            elif isinstance(node, ast.Nonlocal):
                if self.local.intersection(node.names) or node in inside(body):
                    what = f"{node.names[0]} is assigned by a function inside of the one that it belongs to"
                    raise self.wrong(node, what, REFUSED[kind])
            elif isinstance(node, (ast.expr, ast.stmt)) and kind not in UNDERSTOOD:
                raise self.wrong(node, f"syntax=True does not know Python's {kind}", "write it without")
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _INTROSPECTION:
                if node.func.id in ("locals", "eval", "exec") or not node.args:
                    what = f"{node.func.id} would see the variables that syntax=True adds to this function"
                    raise self.wrong(node, what, "name the variables")

    def tail(self, body: Body, at: ast.AST) -> Body:
        """The statements without early returns: the code after an `if` with a `return` moves into its branches."""
        for k, s in enumerate(body):
            if isinstance(s, ast.Return):
                value = s.value or ast.copy_location(ast.Constant(None), s)
                return [*body[:k], *_filled("RESULT = VALUE", s, RESULT=RESULT, VALUE=value)]
            if isinstance(s, ast.If) and _returns(s):
                rest, both = body[k + 1 :], falls(s.body) and falls(s.orelse)
                other = self.copied(rest, s) if both else rest
                s.orelse = self.tail([*s.orelse, *other] if falls(s.orelse) else s.orelse, s.test)
                s.body = self.tail([*s.body, *rest] if falls(s.body) else s.body, s.test)
                return [*body[:k], s]
        return [*body, *_filled("RESULT = None", at, RESULT=RESULT)] if falls(body) else body

    def copied(self, body: Body, s: ast.If) -> Body:
        """A copy of the code after `s`, for its other branch; an error if copies multiply."""
        self.copies += sum(isinstance(x, ast.stmt) for y in body for x in ast.walk(y))
        if self.copies > _COPIES:
            what = "there are too many ways through this function: some branches return, and some go on"
            raise self.wrong(s.test, what, "keep the result in a variable, and return it once")
        return copy.deepcopy(body)

    # statements

    def block(self, body: Body) -> Body:
        return [made for s in body for made in self.statement(s)]

    def statement(self, s: ast.stmt) -> Body:
        match s:
            case ast.If():
                return self.branches(s)
            case ast.While():
                return self.repeated(s)
            case ast.For():
                return self.each(s)
            case ast.Try() | ast.TryStar() | ast.With() | ast.Match():
                return self.compound(s)
            case ast.FunctionDef() | ast.ClassDef():
                return [s]
            case ast.Return() | ast.Break() | ast.Continue():
                return self.leaving(s)
            case _:
                checks = self.checks(s)
                return [*checks, self.expression(s)]

    def named(self) -> str:
        self.count += 1
        return f"@{self.count}"

    def parts(self, s: ast.If | ast.While | ast.For, at: ast.AST, without: list[str]) -> tuple[str, list[str], Any]:
        """The variable for the object that decides `s`, the names that `s` assigns, and the common template parts."""
        names = [k for k in bound([*s.body, *([] if not isinstance(s, ast.If) else s.orelse)]) if k not in without]
        if not isinstance(s, ast.If):
            names = [k for k in names if k in self.live.at[s] or k in self.late]  # the others are an iteration's own
        here = self.named()
        spelled: Callable[[frozenset[str]], ast.expr] = lambda of: _names(
            [self.spelled(k) for k in names if k in of], at
        )
        common = {
            "HERE": here, "NAMES": spelled(frozenset(names)), "LIVE": spelled(self.live.at[s]),
            "LATE": spelled(self.late), "UNDER": ast.copy_location(ast.Constant(self.under), at),
        }  # fmt: skip
        return here, names, common

    def spelled(self, name: str) -> str:
        """A variable as Python has it at run time: private names are those of a class."""
        private = self.cls and name.startswith("__") and not name.endswith("__")
        return f"_{self.cls}{name}" if private else name

    def take(self, here: str, names: list[str], at: ast.AST) -> Body:
        """Statements that give the variables `names` the values that the object `here` has for them."""
        text: Callable[[str], ast.expr] = lambda k: ast.copy_location(ast.Constant(self.spelled(k)), at)
        return [x for k in names for x in _filled(_TAKE, at, NAME=k, HERE=here, TEXT=text(k))]

    def within(self, here: str, body: Body, loop: bool) -> Body:
        """The body of the branch or loop that `here` decides, rewritten."""
        self.around.append((here, loop))
        made = self.block(body)
        self.around.pop()
        return made

    def branches(self, s: ast.If) -> Body:
        here, names, common = self.parts(s, s.test, [])
        test, at = self.expression(s.test), s.test
        return _filled(
            _IF, at, TEST=test, TAKE=self.take(here, names, at), TAKE2=self.take(here, names, at),
            BODY=self.within(here, s.body, False), ORELSE=self.within(here, s.orelse, False), **common,
        )  # fmt: skip

    def repeated(self, s: ast.While) -> Body:
        here, names, common = self.parts(s, s.test, [])
        if walrus := next((x for x in ast.walk(s.test) if isinstance(x, ast.NamedExpr)), None):
            hint = "assign before the loop, and again at the end of its body"
            raise self.wrong(walrus, "syntax=True does not take `:=` in the test of a `while`", hint)
        at, test = s.test, self.expression(s.test)
        takes = {k: self.take(here, names, at) for k in ("TAKE", "TAKE2", "TAKE3")}
        body, orelse = self.within(here, s.body, True), self.block(s.orelse)
        return _filled(_WHILE, at, TEST=test, AGAIN=copy.deepcopy(test), BODY=body, ORELSE=orelse, **takes, **common)

    def each(self, s: ast.For) -> Body:
        here, names, common = self.parts(s, s.iter, bound([s.target]))
        items, at, flag = self.expression(s.iter), s.iter, getattr(s, "go", None)
        takes = {k: self.take(here, names, at) for k in ("TAKE", "TAKE2")}
        body, orelse = self.within(here, s.body, True), self.block(s.orelse)
        common |= {"ITEMS": items, "TARGET": s.target, "FLAG": ast.copy_location(ast.Constant(flag), at)}
        return _filled(_FOR, at, BODY=body, ORELSE=orelse, **takes, **common)

    def compound(self, s: ast.Try | ast.TryStar | ast.With | ast.Match) -> Body:
        before = self.under
        if not isinstance(s, ast.Match):
            self.under = "with" if isinstance(s, ast.With) else "try"
        for body in bodies(s):
            body[:] = self.block(body)
        self.under = before
        if isinstance(s, ast.With):
            for item in s.items:
                item.context_expr = self.expression(item.context_expr)
        elif isinstance(s, ast.Match):
            s.subject = self.expression(s.subject)
            for case in s.cases:
                case.guard = case.guard and self.expression(case.guard)
        return [s]

    def leaving(self, s: ast.Return | ast.Break | ast.Continue) -> Body:
        """A `return`, `break` or `continue`: refused at run time if it would leave a part that is recorded."""
        out: Body = []
        if isinstance(s, ast.Return):
            between, what = [k for k, _ in self.around], "return"
            s.value = s.value and self.expression(s.value)
        else:
            what, loops = type(s).__name__.lower(), [j for j, (_, loop) in enumerate(self.around) if loop]
            between = [k for k, _ in self.around[loops[-1] :]]
        if between:
            call = ast.parse(f"RUN.leave({what!r})").body
            assert isinstance(call[0], ast.Expr) and isinstance(call[0].value, ast.Call)
            call[0].value.args += [ast.Name(k, ast.Load()) for k in between]
            out = [_Fill(s, {"RUN": _THIS}).visit(call[0])]
        return [*out, s]

    def checks(self, s: ast.stmt) -> Body:
        """Checks before a statement that has no meaning in a traced branch or loop."""
        if not self.around:
            return []
        if isinstance(s, (ast.Raise, ast.Delete)):
            what = "raise" if isinstance(s, ast.Raise) else "del"
            hint = "return a number that says what is wrong, such as float('nan'): a compiled function raises nothing"
            hint = hint if what == "raise" else "let the variable be"
            return self.asking(s, "RUN.refuse(WHAT, HINT)", WHAT=what, HINT=hint)
        if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and isinstance(s.value.func, ast.Attribute):
            f = s.value.func
            if isinstance(f.value, ast.Name):
                name, local = f.value.id, self.is_local(f.value)
                return self.asking(s, "RUN.calls(X, NAME, WHAT, LOCAL)", X=name, NAME=name, WHAT=f.attr, LOCAL=local)
        return [x for target in _targets(s) for x in self.check_target(s, target)]

    def check_target(self, s: ast.stmt, target: ast.expr) -> Body:
        if isinstance(target, ast.Name):
            return self.asking(s, "RUN.adds(X)", X=target.id) if isinstance(s, ast.AugAssign) else []
        root = target
        while isinstance(root, (ast.Attribute, ast.Subscript)):
            root = root.value
        if not isinstance(root, ast.Name):
            hint = "give a variable of its own a new value"
            return self.asking(s, "RUN.refuse(WHAT, HINT)", WHAT="an assignment to a part of something", HINT=hint)
        made = self.asking(s, "RUN.stores(X, NAME, LOCAL)", X=root.id, NAME=root.id, LOCAL=self.is_local(root))
        return [*made, *(self.asking(s, "RUN.adds(X)", X=root.id) if isinstance(s, ast.AugAssign) else [])]

    def is_local(self, name: ast.Name) -> bool:
        return name.id in self.local

    def asking(self, s: ast.stmt, template: str, **parts: Any) -> Body:
        nodes = {k: v if k == "X" else ast.copy_location(ast.Constant(v), s) for k, v in parts.items()}
        return _filled(template, s, **nodes)

    # expressions

    def expression(self, node: N) -> N:
        return cast(N, _Expressions(self).visit(node))


class _Renamed(ast.NodeTransformer):
    """Replaces the run in a lambda, which has no statements: each of its expressions makes a run of its own."""

    def __init__(self, run: ast.expr) -> None:
        self.run = run

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id != _THIS:
            return node
        return ast.copy_location(ast.Call(copy.copy(self.run), [], []), node)


class _Expressions(ast.NodeTransformer):
    """Rewrites `and`, `or`, `not`, `a < b < c`, `x if c else y`, `x[i]`, and calls of what may make NumPy's arrays."""

    def __init__(self, rewriter: Rewriter) -> None:
        self.rewriter = rewriter

    def call(self, name: str, node: ast.expr, args: list[ast.expr]) -> ast.expr:
        f = ast.Attribute(ast.Name(_THIS, ast.Load()), name, ast.Load())
        return _placed(ast.Call(f, args, []), node)

    def later(self, node: ast.expr) -> ast.expr:
        """A lambda that evaluates `node`."""
        for x in ast.walk(node):
            if isinstance(x, ast.NamedExpr):
                what = "syntax=True does not take `:=` where Python may leave it out"
                raise self.rewriter.wrong(x, what, "assign in a statement before it")
            if isinstance(x, ast.Call) and isinstance(x.func, ast.Name) and x.func.id == "super" and not x.args:
                what = "syntax=True does not take super() where Python may leave it out"
                raise self.rewriter.wrong(x, what, "keep what it gives in a variable, in a statement before it")
        none = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        return ast.copy_location(ast.Lambda(none, self.visit(node)), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        first, *rest = node.values
        name = "both" if isinstance(node.op, ast.And) else "either"
        return self.call(name, node, [self.visit(first), *[self.later(x) for x in rest]])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        operand = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return self.call("negate", node, [operand])
        node.operand = operand
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        if len(node.ops) == 1:
            self.generic_visit(node)
            return node
        symbols = _names([type(op).__name__ for op in node.ops], node)
        return self.call("chain", node, [symbols, self.visit(node.left), *[self.later(x) for x in node.comparators]])

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        return self.call("ifexp", node, [self.visit(node.test), self.later(node.body), self.later(node.orelse)])

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or any(isinstance(x, ast.Slice) for x in ast.walk(node.slice)):
            return node
        return self.call("item", node, [node.value, node.slice])

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))  # of an attribute, or of a name
        if name in NAMES:
            node.func = self.call("maker", node.func, [node.func])
        return node


_LONG = {"Global": "`global`", "Yield": "`yield`", "YieldFrom": "`yield from`", "Await": "`await`",
         "AsyncFor": "`async for`", "AsyncWith": "`async with`", "AsyncFunctionDef": "`async def`"}  # fmt: skip


def _returns(s: ast.stmt) -> bool:
    """True for an `if` in which a `return` stands, outside of loops and the like."""
    if not isinstance(s, ast.If):
        return False
    return any(isinstance(x, ast.Return) or _returns(x) for x in [*s.body, *s.orelse])


def _targets(s: ast.stmt) -> list[ast.expr]:
    """The targets that a statement assigns, tuples taken apart."""
    if isinstance(s, ast.Assign):
        return [x for t in s.targets for x in _leaves(t)]
    return _leaves(s.target) if isinstance(s, (ast.AugAssign, ast.AnnAssign)) else []


def _leaves(target: ast.expr) -> list[ast.expr]:
    if isinstance(target, (ast.Tuple, ast.List)):
        return [x for t in target.elts for x in _leaves(t)]
    return _leaves(target.value) if isinstance(target, ast.Starred) else [target]


def _statements(node: ast.AST) -> Body:
    return node.body if isinstance(node, ast.FunctionDef) else []
