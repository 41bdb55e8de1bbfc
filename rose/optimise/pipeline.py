"""The pipeline of the optimiser, as data, and the driver that runs, verifies, times and prints its passes.

Five stages, in order; within a stage each function goes through all passes, callees first:

    AFTER_TRACING  once for each function, however often it is compiled
    MOTION         the same that each function goes through before it is derived
    PER_FUNCTION   what inlining makes of each function
    PROGRAM        interprocedural: all functions at once
    LAST           what is not derived from, nor inlined, any more

The rule of editing: a pass returns a new function, or the one that it was given. A pass that `edits` its function in
place is run only on a function that the same pipeline made; `AFTER_TRACING` alone edits what tracing made.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Concatenate, ParamSpec, TypeVar

from ..ir import Func, Value, While
from ..ir.callgraph import callees, callees_first, with_parts
from ..ir.check import CHECKS, check_alone
from ..ir.progress import step
from ..ir.text.printer import show
from . import costs
from .branching import branch
from .code_motion import hoisted
from .dead_arguments import remove_dead_arguments
from .dead_code import remove_dead_code
from .early_reads import read_early
from .inlining import Inliner
from .join_halves import Room, join_halves
from .loop_fusion import fuse_loops
from .outlining import outline
from .rewriter import RULES
from .scalar_replacement import replace_accumulators
from .scheduling import schedule
from .state_splitting import split
from .sum_forwarding import forward_sums
from .unroll_and_jam import unroll_and_jam
from .unrolling import unroll
from .values import witness
from .while_hoisting import hoist

T = TypeVar("T")
P = ParamSpec("P")


@dataclass(frozen=True)
class Pass:
    """One step of a pipeline, by the name under which it is printed, timed and switched off."""

    name: str
    run: Callable[[Func, Context], Func]
    why: str  # the program for which it exists, with the instructions that it executes without, in multiples
    edits: bool = False  # in place, what the same pipeline made
    of_parts: bool = False  # of branches and while loops, which have no instructions, and of nothing else


class Context:
    """The state of a run of the pipeline that passes share: the program, and what a pass tells later ones."""

    def __init__(self, roots: Iterable[Func], simd: bool, asked: Instruments | None) -> None:
        self.simd = simd
        self.asked = Instruments() if asked is None and witness() is not None else asked
        self.without: Collection[str] = asked.without if asked is not None else ()
        self.made: dict[Func, Func] = {}  # what takes the place of each function
        self.callers: set[Func] = set()  # what only calls a loop or a branch: it is always inlined
        self.inliner = Inliner(roots, self.made, self.callers, self.without)
        self.given: Container[Func] = self.inliner.calls  # the functions as they came: not to be edited
        self.groups: Container[Value] = ()  # the loops that unroll-and-jam made: they are not unrolled
        self.room = Room(roots)  # for join-halves
        self.joined = False  # whether join-halves changed the function: it may be long


def _jam(f: Func, c: Context) -> Func:
    f, c.groups = unroll_and_jam(f, c.without, simd=c.simd)
    return f


def _split(f: Func, c: Context) -> Func:
    return f if c.inliner.is_cheap(f) else _called(f, split(f), c)


def _hoist(f: Func, c: Context) -> Func:
    return _called(f, hoist(f), c) if isinstance(f.kind, While) else f


def _called(f: Func, made: Func, c: Context) -> Func:
    if made is not f:
        c.callers.add(made)
    return made


def _join(f: Func, c: Context) -> Func:
    joined = join_halves(f, c.made, c.room, c.without)
    c.joined = joined is not f
    return joined


def _sweep(f: Func, c: Context) -> Func:
    return remove_dead_code(f)


AFTER_TRACING = (Pass("early-dead-code", _sweep, "log-sum-exp: half of its bytes", edits=True),)
MOTION = "move-invariants"  # as before derivation. For a kernel in a double sum: 2.7 x
PER_FUNCTION = (
    Pass("split-states", _split, "GradBench's saddle point: 1.2 x", of_parts=True),
    Pass("inline", lambda f, c: c.inliner.inlined(f), "a matrix by columns: 1.53 x, and all others"),
    Pass("forward-sums", lambda f, c: forward_sums(f), "Gaussian mixtures: 1.15 x", edits=True),
    Pass("fuse-loops", lambda f, c: fuse_loops(f, simd=c.simd), "hand tracking: 3.84 x", edits=True),
    Pass("dead-code", _sweep, "hand tracking: 1.06 x", edits=True),
)
PROGRAM = "dead-arguments"  # for the fourth derivative of an opaque sine: 1.59 x
LAST = (
    Pass("hoist-from-while", _hoist, "GradBench's saddle point: 1.08 x", of_parts=True),
    Pass("join-halves", _join, "Rosenbrock's function, unrolled: 1.17 x"),
    Pass("unroll-and-jam", _jam, "a matrix by columns: 1.38 x"),
    Pass(
        "unroll",
        lambda f, c: unroll(f, c.made, c.callers, simd=c.simd, stay=c.groups, without=c.without),
        "hand tracking: 5.08 x",
    ),
    Pass("scalar-replacement", lambda f, c: replace_accumulators(f, c.without), "hand tracking: 2.27 x"),
    Pass("branch", lambda f, c: branch(f, simd=c.simd), "billiards: 1.12 x"),
    Pass("schedule", lambda f, c: schedule(f), "Rosenbrock's function, unrolled: 2.6 x", edits=True),
    Pass("early-reads", lambda f, c: read_early(f), "two tables in one scan, of 200 numbers: 13.4 x", edits=True),
    Pass(
        "outline",
        lambda f, c: outline(f, costs.DERIVED_INSTRUCTIONS) if c.joined else f,
        "engines refuse functions as long as join-halves makes them",
    ),
)
PASSES = (*[p.name for p in AFTER_TRACING], MOTION, *[p.name for p in PER_FUNCTION], PROGRAM, *[p.name for p in LAST])
NAMES = (*PASSES, *[rule.name for rule in RULES])  # what can be switched off


@dataclass
class Instruments:
    """Instruments of a run of the pipeline: passes left out, verification, times, printing. None of them by default."""

    without: Collection[str] = ()  # passes and rules that are left out
    verifies: bool = CHECKS
    tell: Callable[[str, Func], object] | None = None  # called with each function that a pass changed
    seconds: dict[str, float] = field(default_factory=dict[str, float])  # by pass

    def __post_init__(self) -> None:
        unknown = [name for name in self.without if name not in NAMES]
        assert not unknown, f"there is no pass {unknown[0]}: the passes are {', '.join(NAMES)}"

    def run(self, p: Pass, f: Func, context: Context) -> Func:
        """The result of a pass over a function, with what was asked of it."""
        if (w := witness()) is not None:
            w.of(f)
            new = self._told(p, f, context)
            if new is not f or p.edits:
                w.kept(p.name, f, new)
            return new
        return self._told(p, f, context)

    def _told(self, p: Pass, f: Func, context: Context) -> Func:
        if not self.verifies and self.tell is None:
            return self.timed(p.name, p.run, f, context)
        before = show(f, callees=False)
        new = self.timed(p.name, p.run, f, context)
        if self.verifies:
            check_alone(new)
        after = show(new, callees=False)
        if self.verifies:
            old = after if new is f else show(f, callees=False)
            assert p.edits or old == before, f"{p.name} edited {f.name}, which is not its own"
        if self.tell is not None and after != before:
            self.tell(p.name, new)
        return new

    def timed(self, name: str, run: Callable[Concatenate[T, P], T], x: T, *args: P.args, **named: P.kwargs) -> T:
        if name in self.without:
            return x
        start = perf_counter()
        made = run(x, *args, **named)
        self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - start
        return made


VERIFYING = Instruments() if CHECKS else None


def optimise(roots: Iterable[Func], asked: Instruments | None = VERIFYING) -> None:
    """Run `AFTER_TRACING` over these functions and all that they call, in place, each once."""
    todo, seen, context = list(roots), dict[Func, None](), Context((), False, asked)
    while todo:
        f = todo.pop()
        if f in seen:
            continue
        seen[f] = None
        if optimise not in f.memo:
            f.memo[optimise] = True
            _through(AFTER_TRACING, f, context)
            step("optimise")
        todo.extend(callees(f))


def optimised(
    funcs: Mapping[str, Func], *, simd: bool = False, asked: Instruments | None = VERIFYING
) -> dict[str, Func]:
    """The optimised copies of these functions, by name: faster, with the same bits.

    The functions stay as they are, but for dead code: what is derived from them later does not depend on what was
    compiled before. With `simd`, loops are left for the back end to vectorise.
    """
    optimise(funcs.values(), asked)
    funcs = _moved(funcs) if asked is None else asked.timed(MOTION, _moved, funcs)
    context = Context(funcs.values(), simd, asked)
    inlined = _each(funcs.values(), PER_FUNCTION, context)
    program = {name: inlined[f] for name, f in funcs.items()}
    program = _without_dead(program) if asked is None else asked.timed(PROGRAM, _without_dead, program)
    context.made, context.room = {}, Room(program.values())
    last = _each(program.values(), LAST, context)
    return {name: last[f] for name, f in program.items()}


def _moved(funcs: Mapping[str, Func]) -> Mapping[str, Func]:
    return {name: hoisted(f) for name, f in funcs.items()}


def _without_dead(program: Mapping[str, Func]) -> dict[str, Func]:
    if (w := witness()) is None:
        return remove_dead_arguments(program)
    for f in program.values():
        w.of(f)
    made = remove_dead_arguments(program)
    for name, f in program.items():
        w.kept(PROGRAM, f, made[name])
    return made


def _each(roots: Iterable[Func], passes: Sequence[Pass], context: Context) -> dict[Func, Func]:
    """The result of some passes over these functions and all that they call, callees first."""
    made = context.made
    for root in roots:
        for f in callees_first(root, lambda g: g not in made):
            made[f] = _through(passes, f if f.has_body else with_parts(f, made), context)
            step("optimise")
    return made


def _through(passes: Sequence[Pass], f: Func, context: Context) -> Func:
    asked, given = context.asked, context.given
    for p in [p for p in passes if p.of_parts != f.has_body]:
        if not p.edits or f not in given:
            f = p.run(f, context) if asked is None else asked.run(p, f, context)
    return f
