"""`break`, `continue`, and `return` in loops: branches in their places, before branches and loops are rewritten.

What comes after an `if` with a jump moves into the branches that do not jump. A `break` clears a flag, `@go`, which the
test of a `while` asks for, and the body of a `for`; a `return` also keeps its value, in `@early`, and sets `@returned`,
by which the loops around it end, and then the function. Where no condition is traced, flags are Python's, and a loop
over a list ends where it did. A loop with a jump in a `try`, `with` or `match` stays as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

Body = list[ast.stmt]
RETURNED, EARLY = "@returned", "@early"  # the variables of a function with a `return` in a loop

_LOOPS = (ast.For, ast.While)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Jumps:
    """Rewrites the loops of one function. `copied(rest, s)` copies the code after `s`, for a second branch."""

    def __init__(self, copied: Callable[[Body, ast.If], Body]) -> None:
        self.copied, self.count, self.returns = copied, 0, False

    def block(self, body: Body) -> Body:
        """The statements, without jumps out of loops."""
        return [made for s in body for made in self.statement(s)]

    def statement(self, s: ast.stmt) -> Body:
        if isinstance(s, _SCOPES):
            return [s]
        jumps = [*_jumps(s.body)] if isinstance(s, _LOOPS) else []
        for name in ("body", "orelse", "finalbody"):
            if isinstance(getattr(s, name, None), list):
                setattr(s, name, self.block(getattr(s, name)))
        for part in (*getattr(s, "handlers", ()), *getattr(s, "cases", ())):
            part.body = self.block(part.body)
        if not isinstance(s, _LOOPS) or not jumps or None in jumps:
            return [s]
        return self.loop(s, [x for x in jumps if x is not None])

    def loop(self, s: ast.For | ast.While, jumps: list[ast.stmt]) -> Body:
        returns = any(isinstance(x, ast.Return) for x in jumps)
        if not returns and not any(isinstance(x, ast.Break) for x in jumps):
            s.body = self.ended(s.body, "") or [ast.copy_location(ast.Pass(), s)]
            return [s]
        self.count += 1
        self.returns |= returns
        flag, at = f"@go{self.count}", s.test if isinstance(s, ast.While) else s.iter
        ask: Callable[[], ast.expr] = lambda: _read(flag, at)
        s.body = self.ended(s.body, flag) or [ast.copy_location(ast.Pass(), s)]
        after: Body = [ast.copy_location(ast.If(ask(), s.orelse, []), s.orelse[0])] if s.orelse else []
        s.orelse = []
        if isinstance(s, ast.While):
            s.test = ast.copy_location(ast.BoolOp(ast.And(), [ask(), s.test]), s.test)
        else:
            s.body = [ast.copy_location(ast.If(ask(), s.body, []), at)]
            s.go = flag  # pyright: ignore[reportAttributeAccessIssue]
        if returns:
            first = next(x for x in jumps if isinstance(x, ast.Return))
            leaves = ast.copy_location(ast.Return(_read(EARLY, first)), first)
            after = [ast.copy_location(ast.If(_read(RETURNED, first), [leaves], after), first)]
        return [_set(flag, ast.Constant(True), s), s, *after]

    def ended(self, body: Body, flag: str) -> Body:
        """The statements of an iteration: a jump ends them."""
        for k, s in enumerate(body):
            match s:
                case ast.Continue():
                    return body[:k]
                case ast.Break():
                    return [*body[:k], _set(flag, ast.Constant(False), s)]
                case ast.Return():
                    value = s.value or ast.copy_location(ast.Constant(None), s)
                    done = _set(RETURNED, ast.Constant(True), s), _set(flag, ast.Constant(False), s)
                    return [*body[:k], _set(EARLY, value, s), *done]
                case ast.If() if any(True for _ in _jumps([s])):
                    rest, both = body[k + 1 :], falls(s.body) and falls(s.orelse)
                    other = self.copied(rest, s) if both else rest
                    s.orelse = self.ended([*s.orelse, *other] if falls(s.orelse) else s.orelse, flag)
                    s.body = self.ended([*s.body, *rest] if falls(s.body) else s.body, flag)
                    s.body = s.body or [ast.copy_location(ast.Pass(), s)]
                    return [*body[:k], s]
                case _:
                    pass
        return body


def _jumps(body: Iterable[ast.stmt]) -> Iterator[ast.stmt | None]:
    """The jumps out of the loop with this body; None for one in a `try`, `with` or `match`, or that cannot be moved."""
    for s in body:
        match s:
            case ast.Break() | ast.Continue() | ast.Return():
                yield s
            case ast.If():
                yield from _jumps([*s.body, *s.orelse])
            case ast.For() | ast.While():
                yield from [x if isinstance(x, ast.Return) else None for x in _jumps(s.orelse)]
                yield from [x for x in _jumps(s.body) if x is None or isinstance(x, ast.Return)]
            case ast.Try() | ast.TryStar() | ast.With() | ast.Match():
                for x in ast.walk(s):
                    if isinstance(x, (ast.Break, ast.Continue, ast.Return)):
                        yield None
            case _:
                pass


def falls(body: Body) -> bool:
    """True if control may fall through to the code after the statements."""
    if not body:
        return True
    last = body[-1]
    if isinstance(last, ast.If):
        return falls(last.body) or falls(last.orelse)
    return not isinstance(last, (ast.Return, ast.Raise, ast.Break, ast.Continue))


def _set(name: str, value: ast.expr, at: ast.stmt) -> ast.stmt:
    value = value if hasattr(value, "lineno") else ast.copy_location(value, at)
    return ast.copy_location(ast.Assign([ast.copy_location(ast.Name(name, ast.Store()), at)], value), at)


def _read(name: str, at: ast.AST) -> ast.expr:
    return ast.copy_location(ast.Name(name, ast.Load()), at)
