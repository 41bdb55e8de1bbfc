"""Vector mode: a derivative along several tangents at once.

    g : primals, and tangents over `Tan`  ->  the same over vectors of `Tan`, with one for each direction

What touches no `Tan` is computed once for all directions. The rest is done in loops over the directions, each of as
many operations in a row as can be. The copy is a function with tangents like any other: it can be called as it is,
unzipped, linearised and transposed. In each direction it does the operations of `g`, in their order, so the bits are
those of one direction at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..ir import ADD_TO, CALL, FOR, FREEZE, PURE_CALL, Block, Builder, Func, Linear, Value, building
from ..ir.accumulators import is_ref
from ..ir.callgraph import has_tangents, memoised
from ..ir.progress import timed
from ..ir.types import Fin, Tan, Tuple, Type, Vec, map_leaves
from ..ir.users import Users
from ..optimise.instruments import told
from ..optimise.rewriter import Env, Rewriter
from .erase_tangents import retyped


def vector_mode(g: Func, directions: int) -> Func:
    """The copy of `g` over vectors of so many tangents; `g` itself, if it has none."""
    if not has_tangents(g):
        return g
    with timed("vector-mode"):
        return memoised(g, (vector_mode, directions), lambda f: _made(f, directions), has_tangents)


def widened(t: Type, directions: int, leaf: Type = Tan) -> Type:
    """`t` with a vector of so many numbers in the place of each."""
    return map_leaves(t, lambda s: Vec(directions, s) if s is leaf else s)


def _made(g: Func, directions: int) -> Func:
    if isinstance(g.kind, Linear):
        return _one_by_one(g, directions)
    made = retyped(g, lambda f: _VectorMode(directions).function(f), lambda f: vector_mode(f, directions))
    made.mark(primal=g.primal)
    return told("vector-mode", made)


def _one_by_one(g: Func, directions: int) -> Func:
    """A function that is linear because its maker says so, called for each direction."""
    with building(g.name, g.origin) as b:
        x, *rest = [b.param(widened(p.type, directions), p.attr) for p in g.params]
        narrow, *_ = [p.type for p in g.params]
        ys = b.vec(directions, lambda i: b.call(g, [_along(b, x, narrow, i), *rest]))
        return b.func(_inside_out(b, ys, g.result, directions))


def _along(b: Builder, x: Value, t: Type, i: Value) -> Value:
    """What `x` is in one direction, a `t`."""
    if isinstance(t, Tuple):
        return b.tuple([_along(b, b.get(x, k), s, i) for k, s in enumerate(t.items)], t)
    if isinstance(t, Vec):
        return b.vec(t.size, lambda j: _along(b, b.index(x, j), t.elem, i))
    return b.index(x, i) if t is Tan else x


def _inside_out(b: Builder, ys: Value, t: Type, directions: int) -> Value:
    """The vector of what is a `t` in each direction, as a `t` of vectors."""
    if isinstance(t, Tuple):
        item: Callable[[int], Value] = lambda k: b.vec(directions, lambda i: b.get(b.index(ys, i), k))
        parts = [_inside_out(b, item(k), s, directions) for k, s in enumerate(t.items)]
        return b.tuple(parts, t.of(tuple([p.type for p in parts])))
    if isinstance(t, Vec):
        each: Callable[[Value], Value] = lambda j: b.vec(directions, lambda i: b.index(b.index(ys, i), j))
        return b.vec(t.size, lambda j: _inside_out(b, each(j), t.elem, directions))
    return ys if t is Tan else b.zero(t)


class _VectorMode(Rewriter):
    """A copy whose operations on tangents are in loops over the directions."""

    def __init__(self, directions: int) -> None:
        self.directions = directions

    def function(self, f: Func) -> Func:
        self.users = Users(f)
        return super().function(f)

    def type(self, t: Type) -> Type:
        return widened(t, self.directions)

    def block(self, b: Builder, block: Block, env: Env) -> None:
        run: dict[Value, None] = {}
        for v in block.code:
            if _is_operation(v):
                run[v] = None
                continue
            if run and (v.op in _ENDS or any([a in run for a in v.args])):
                self.together(b, run, env)
                run = {}
            b.loc = v.loc
            env[v] = self.instruction(b, v, env)
        if run:
            self.together(b, run, env)

    def together(self, b: Builder, run: Mapping[Value, None], env: Env) -> None:
        """Operations on tangents, in one loop over the directions."""
        read = [v for v in run if any([user not in run for user in self.users.of(v)])]
        with b.nested() as body:
            i = b.param(Fin(self.directions))
            one = dict[Value, Value]()  # in one direction
            for v in run:
                b.loc = v.loc
                xs = [one[a] if a in one else self.of_one(b, env[a], i) if a.type.linear else env[a] for a in v.args]
                one[v] = b.emit(v.op, tuple(xs))
            body.results = tuple([one[v] for v in read])
        _, vecs = b.close(body, [])
        env.update(zip(read, vecs, strict=True))

    def of_one(self, b: Builder, x: Value, i: Value) -> Value:
        """A tangent in one direction; or the accumulator of one."""
        return b.at(x, i) if is_ref(x) else b.index(x, i)

    def call(self, b: Builder, v: Value, args: tuple[Value, ...]) -> Value:
        return b.call(vector_mode(v.attr, self.directions), args)

    def plain(self, b: Builder, v: Value, args: tuple[Value, ...]) -> Value:
        return b.make(v.op, args, v.attr, self.type(v.type))


_ENDS = (ADD_TO, FREEZE, FOR, CALL, PURE_CALL)  # what may add to an accumulator, or read one


def _is_operation(v: Value) -> bool:
    """True for an operation on numbers that are tangents."""
    return (v.type is Tan and v.op.eval is not None) or (v.op is ADD_TO and v.args[1].type is Tan)
