"""Liveness analysis of a Python function, on its syntax tree: the variables that may still be read at each branch."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

Names = frozenset[str]

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def reads(*nodes: ast.AST | None) -> Names:
    """The names that are read in `nodes`, also by functions defined in them; deleting counts as reading."""
    found = [x for node in nodes if node is not None for x in ast.walk(node) if isinstance(x, ast.Name)]
    return frozenset([x.id for x in found if not isinstance(x.ctx, ast.Store)])


def inside(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes in `nodes`, without the bodies of functions and classes that are defined in them."""
    todo = [*nodes]
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, SCOPES):
            todo.extend(ast.iter_child_nodes(node))


def _own_targets(nodes: Iterable[ast.AST]) -> set[ast.AST]:
    """The variables of comprehensions, which are local to them."""
    found = [g.target for x in nodes if isinstance(x, COMPREHENSIONS) for g in x.generators]
    return {y for x in found for y in ast.walk(x)}


def bound(nodes: Iterable[ast.AST]) -> list[str]:
    """The variables that `nodes` assign or delete, sorted by name."""
    there = [*inside(nodes)]
    own, found = _own_targets(there), set[str]()
    for x in there:
        match x:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) if x not in own:
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=asname):
                found.add(asname or name.partition(".")[0])
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                found.add(name)
            case ast.MatchMapping(rest=str(name)):
                found.add(name)
            case _:
                pass
    return sorted(found)


def late(nodes: Iterable[ast.AST]) -> Names:
    """The names that functions defined in `nodes` read, whenever they are called."""
    return reads(*[x for x in inside(nodes) if isinstance(x, SCOPES)])


def _surely_bound(s: ast.stmt) -> Names:
    """The names that a statement certainly assigns: they are dead before it."""
    match s:
        case ast.Assign(targets=targets):
            return frozenset([name for t in targets for name in _plain_names(t)])
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            return frozenset([name])
        case ast.Import() | ast.ImportFrom() | ast.FunctionDef() | ast.ClassDef():
            return frozenset(bound([s]))
        case _:
            return frozenset()


def _plain_names(target: ast.expr) -> list[str]:
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for x in target.elts for name in _plain_names(x)]
    return _plain_names(target.value) if isinstance(target, ast.Starred) else []


class Liveness:
    """The live variables `at` each `if`: after it; and at each loop: at the start of an iteration (a fixpoint)."""

    def __init__(self, body: list[ast.stmt]) -> None:
        self.at: dict[ast.stmt, Names] = {}
        self._breaks: list[Names] = []
        self._continues: list[Names] = []
        self._before(body, frozenset())

    def _before(self, body: list[ast.stmt], out: Names) -> Names:
        for s in reversed(body):
            out = self._one(s, out)
        return out

    def _one(self, s: ast.stmt, out: Names) -> Names:
        match s:
            case ast.If():
                self.at[s] = out
                return self._before(s.body, out) | self._before(s.orelse, out) | reads(s.test)
            case ast.While():
                return self._loop(s, s.body, s.orelse, reads(s.test), frozenset(), out)
            case ast.For():
                names = frozenset(_plain_names(s.target))
                return self._loop(s, s.body, s.orelse, reads(s.target), names, out) | reads(s.iter)
            case ast.Return() | ast.Raise():
                return reads(s)
            case ast.Break():
                return self._breaks[-1]
            case ast.Continue():
                return self._continues[-1]
            case ast.AugAssign(target=ast.Name(id=name)):
                return out | reads(s) | {name}
            case ast.Try() | ast.TryStar() | ast.With() | ast.Match():
                return self._mixed(s, out)
            case _:
                return (out - _surely_bound(s)) | reads(s)

    def _loop(
        self, s: ast.stmt, body: list[ast.stmt], orelse: list[ast.stmt], test: Names, targets: Names, out: Names
    ) -> Names:
        head, known = self._before(orelse, out) | test, None
        while head != known:
            known = head
            self._breaks.append(out)
            self._continues.append(head)
            head |= self._before(body, head) - targets
            self._breaks.pop()
            self._continues.pop()
        self.at[s] = head
        return head

    def _mixed(self, s: ast.Try | ast.TryStar | ast.With | ast.Match, out: Names) -> Names:
        """Statements with several exits: conservatively, a name read in any part is live after every part."""
        out |= reads(s)
        for body in bodies(s):
            self._before(body, out)
        return out


def bodies(s: ast.stmt) -> list[list[ast.stmt]]:
    """The lists of statements in a compound statement that is not a definition."""
    match s:
        case ast.If() | ast.While() | ast.For():
            return [s.body, s.orelse]
        case ast.With():
            return [s.body]
        case ast.Match():
            return [case.body for case in s.cases]
        case ast.Try() | ast.TryStar():
            return [s.body, *[h.body for h in s.handlers], s.orelse, s.finalbody]
        case _:
            return []
