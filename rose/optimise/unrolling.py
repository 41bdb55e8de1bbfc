"""Loop unrolling: a short loop of few iterations is written iteration by iteration.

The index is a literal then: elements are told apart, so that those of a small vector are numbers, and so are the sums
of a small accumulator (`scalar_replacement.py`). The operations are the same, in the same order.

A loop of dependent length in one that is unrolled has indices that are literals too, and is unrolled with it.

With `simd` a loop whose iterations do not need one another stays, for the back end to vectorise, if it is an outermost
one, or adds to many sums: what it reads is loaded once for two iterations, and products are two in one. One that makes
a vector, or reads one that another has made, does not: written out, its elements are numbers that are never stored.
Measured: the gradient of a softmax of 4 to 16 numbers took 1.1 to 1.4 times as long in vectors.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping

from ..ir import (
    ADD_TO,
    CONST,
    FOR,
    GET,
    INDEX,
    PACK,
    TUPLE,
    ZERO,
    Block,
    Builder,
    Func,
    Value,
    is_call,
    loop_of,
    span_of,
)
from ..ir.callgraph import callees, calls, instructions, length, operations
from ..ir.sizes import Size
from ..ir.types import Fin, Real, Ref, Single, Vec, items_of
from . import costs
from .branching import has_branches
from .dead_code import remove_dead_code
from .rewriter import Env, Simplifier


def unroll(
    f: Func,
    made: Mapping[Func, Func],
    inlined: Container[Func] = (),
    *,
    simd: bool = False,
    stay: Container[Value] = (),
    without: Collection[str] = (),
) -> Func:
    """`f` with its short loops unrolled, but for those that `stay`.

    `made` is what takes the place of its callees; some of that is `inlined`.
    """
    short = _Short(f, simd, stay)
    here = {v: made[v.attr] for v in calls(f) if v.attr in made and made[v.attr] in inlined}
    same = all([made.get(g, g) is g for g in callees(f)])
    return f if same and not short.loops else remove_dead_code(_Unroller(made, here, short, without).function(f))


class _Short:
    """The loops of a function that are unrolled, inner ones first."""

    def __init__(self, f: Func, simd: bool, stay: Container[Value]) -> None:
        self.loops: set[Value] = set()
        self.spanned: set[Value] = set()  # those of dependent length, which are unrolled where their indices are known
        self.simd, self.stay = simd, stay
        self.room = costs.LONG_BLOCK_INSTRUCTIONS - length(f)
        if FOR in operations(f):
            self.block(f.body)

    def block(self, block: Block) -> int:
        """The count of instructions of a block, once it is rewritten."""
        return sum([self.loop(v) if v.op is FOR else 1 for v in block.code])

    def loop(self, v: Value) -> int:
        n, each = loop_of(v).indices, self.block(v.attr)
        assert isinstance(n, Fin)
        most = min(costs.UNROLLED_INSTRUCTIONS, self.room)
        if isinstance(n.size, Size) or n.size > costs.UNROLLED_ITERATIONS or n.size * each > most:
            return 1 + each
        if v in self.stay:
            return 1 + each
        if span_of(v) is not None:
            self.spanned.add(v)
            return 1 + n.size * each // 2
        worthy = self.sums(v) >= costs.VECTORISED_SUMS or (v.block.parent is None and not _shares_vectors(loop_of(v)))
        if self.simd and worthy and n.size >= costs.VECTORISED_ITERATIONS and self.is_apart(v):
            return 1 + each
        self.loops.add(v)
        self.room -= n.size * each
        return n.size * each

    def sums(self, v: Value) -> int:
        """The numbers from outside of a loop that it adds to."""
        return len([x for x in loop_of(v).code if x.op is ADD_TO and x.args[0].type in (Ref(Real), Ref(Single))])

    def is_apart(self, v: Value) -> bool:
        """True if a loop makes and adds numbers only, without branches, and no iteration needs another one."""
        block = loop_of(v)
        inside = [w for w in instructions(block) if is_call(w) or (w.op is FOR and w not in self.loops)]
        return (
            not v.args
            and not inside
            and all([r.type in (Real, Single) or r.type.empty or r.op in (ZERO, PACK, TUPLE) for r in block.results])
            and not has_branches(block)
        )


def _shares_vectors(block: Block) -> bool:
    """True if a loop makes a vector, or reads one that a loop has made."""
    made = any([not r.type.empty and r.op is not ZERO for r in block.results])
    return made or any([x.op is INDEX and x.args[0].op in (FOR, GET) for x in block.code])


class _Unroller(Simplifier):
    """A copy of a function without its short loops."""

    def __init__(
        self, made: Mapping[Func, Func], here: Mapping[Value, Func], short: _Short, without: Collection[str]
    ) -> None:
        super().__init__(made, here, without)
        self.short = short

    def loop(self, b: Builder, v: Value, args: tuple[Value, ...], env: Env) -> Value:
        indices = self.indices(v, args)
        if indices is None:
            return super().loop(b, v, args, env)
        block = loop_of(v)
        (index, *states), after, rows = block.params, list(args), dict[int, list[Value]]()
        for k in indices:
            env[index] = b.const(k, index.type)
            env.update(zip(states, after, strict=True))
            self.block(b, block, env)
            made = [env[r] for r in block.results]
            after = made[: len(states)]
            rows[k] = made[len(states) :]
        vecs: list[Value] = []
        for k, t in enumerate(items_of(v.type)[len(states) :]):
            assert isinstance(t, Vec) and isinstance(t.size, int)
            vecs.append(b.pack([rows[i][k] if i in rows else b.zero(t.elem) for i in range(t.size)], t))
        return b.tuple([*after, *vecs], v.type)  # pyright: ignore[reportArgumentType]

    def indices(self, v: Value, args: tuple[Value, ...]) -> range | None:
        """The indices of the iterations of a loop that is unrolled."""
        n = loop_of(v).size
        if v in self.short.loops:
            return range(n)
        if v in self.short.spanned and args[0].op is TUPLE and all([x.op is CONST for x in args[0].args]):
            low, high = [x.attr for x in args[0].args]
            return range(low, high)
        return None
