"""The pipeline of the optimiser, as data, and the driver that runs its passes: all steps from the trace on, by name.

Six stages, in order; within a stage each function goes through all passes, callees first:

    BEFORE_DERIVATION  what tracing and derivation ask for themselves: they go through the same door, `instruments.run`
    AFTER_TRACING      once for each function, however often it is compiled
    MOTION             the same that each function goes through before it is derived
    PER_FUNCTION       what inlining makes of each function
    PROGRAM            interprocedural: all functions at once
    LAST               what is not derived from, nor inlined, any more

The rule of editing: a pass returns a new function, or the one that it was given. A pass that `edits` its function in
place is run only on a function that the same pipeline made. What tracing made only loses dead code: to `AFTER_TRACING`,
and to `MOTION`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..ir import Func, Value, While
from ..ir.callgraph import callees, callees_first, with_parts
from ..ir.progress import step
from . import instruments
from .branch_merging import merge_branches
from .branching import branch
from .code_motion import hoisted
from .dead_arguments import remove_dead_arguments
from .dead_code import remove_dead_code
from .early_reads import read_early
from .element_sums import sum_elements
from .inlining import Inliner
from .instruments import asked, instrumented, run, run_all
from .interchange import interchange
from .loop_fusion import fuse_loops
from .outlining import outline
from .rewriter import RULES
from .scalar_replacement import replace_accumulators
from .scheduling import schedule
from .state_splitting import split
from .sum_forwarding import forward_sums
from .unroll_and_jam import unroll_and_jam
from .unrolling import unroll
from .while_hoisting import hoist
from .zeros import drop_zeros


class Step(NamedTuple):
    """A step that runs before a derivation, or over a whole program; or a rule that such a step asks."""

    name: str
    why: str


@dataclass(frozen=True)
class Pass:
    """One step of a pipeline, by the name under which it is printed, timed and switched off."""

    name: str
    run: Callable[[Func, Context], Func]
    why: str  # the program of `benchmarks/passes.py` for which it exists, or a reason that is not its speed
    edits: bool = False  # in place, what the same pipeline made
    of_parts: bool = False  # of branches and while loops, which have no instructions, and of nothing else
    keeps_bits: bool = True  # else it is only asked for, and nobody compares what it makes

    def over(self, f: Func, context: Context) -> Func:
        """The result of the pass over a function, with all that is asked."""
        if not self.keeps_bits:
            return self.run(f, context)
        return run(self.name, f, lambda f: self.run(f, context), edits=self.edits)


class Context:
    """The state of a run of the pipeline that passes share: the program, and what a pass tells later ones."""

    def __init__(self, roots: Iterable[Func], simd: bool) -> None:
        self.simd = simd
        self.without: Collection[str] = () if (by := asked()) is None else by.without
        self.made: dict[Func, Func] = {}  # what takes the place of each function
        self.callers: set[Func] = set()  # what only calls a loop or a branch: it is always inlined
        self.inliner = Inliner(roots, self.made, self.callers, self.without)
        self.given: Container[Func] = self.inliner.calls  # the functions as they came: not to be edited
        self.groups: Container[Value] = ()  # the loops that unroll-and-jam made: they are not unrolled


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


def _sweep(f: Func, c: Context) -> Func:
    return remove_dead_code(f)


BEFORE_DERIVATION = (
    Step("fuse-maps", "rows of a softmax"),
    Step("live-parts", "correctness: what nobody reads may have an infinite derivative, which makes nans"),
    Step("write-out", "a Hessian of three diagonals"),
)
AFTER_TRACING = (Pass("early-dead-code", _sweep, "correctness: single precision refuses large literals", edits=True),)
MOTION = Step("move-invariants", "a kernel in a double sum")
ASKED_BY_MOTION = (
    Step("stage", "a kernel in a double sum"),
    Step("distribute", "a kernel in a double sum"),
)
ASKED_BY_DERIVATION = (
    Step("index-extremes", "the largest of each row"),
    Step("cancel-shifts", "rows of a softmax"),
    Step(
        "crossed-reads", "engines: an array that is added to by turns has its terms in an order that no nest may change"
    ),
)
PER_FUNCTION = (
    Pass("split-states", _split, "GradBench saddle", of_parts=True),
    Pass("inline", lambda f, c: c.inliner.inlined(f), "a matrix by columns"),
    Pass("forward-sums", lambda f, c: forward_sums(f), "GradBench gmm", edits=True),
    Pass("element-sums", lambda f, c: sum_elements(f), "pendulums in a scan"),
    Pass("fuse-loops", lambda f, c: fuse_loops(f, simd=c.simd), "GradBench ht", edits=True),
    Pass("dead-code", _sweep, "Rosenbrock 1000, unrolled", edits=True),
)
PROGRAM = Step("dead-arguments", "GradBench det")
LAST = (
    Pass("hoist-from-while", _hoist, "GradBench saddle", of_parts=True),
    Pass(
        "interchange",
        lambda f, c: interchange(f, c.without, simd=c.simd),
        "engines: a column of a matrix is in few places of a cache",
    ),
    Pass("unroll-and-jam", _jam, "a matrix by columns"),
    Pass(
        "unroll",
        lambda f, c: unroll(f, c.made, c.callers, simd=c.simd, stay=c.groups, without=c.without),
        "GradBench ht",
    ),
    Pass("scalar-replacement", lambda f, c: replace_accumulators(f, c.without), "GradBench ht"),
    Pass("branch", lambda f, c: branch(f), "billiards, 64 steps"),
    Pass("merge-branches", lambda f, c: merge_branches(f), "a piecewise function in a sum"),
    Pass("schedule", lambda f, c: schedule(f), "Rosenbrock 1000, unrolled", edits=True),
    Pass("early-reads", lambda f, c: read_early(f), "two tables in a scan", edits=True),
    Pass("outline", lambda f, c: outline(f), "engines: they refuse long functions, and are slow at them"),
)
_BRANCHES = [p.name for p in LAST].index("branch")
LAST_OF_FINITE = (
    *LAST[:_BRANCHES],
    Pass("drop-zeros", lambda f, c: drop_zeros(f), "an option, which changes bits", keeps_bits=False),
    *LAST[_BRANCHES:],
)
OF_SEVERAL = tuple([p for p in LAST if p.name not in ("branch", "merge-branches")])  # which would go different ways
EVERY = (*BEFORE_DERIVATION, *AFTER_TRACING, MOTION, *PER_FUNCTION, PROGRAM, *LAST)
REASONS = {step.name: step.why for step in (*EVERY, *ASKED_BY_MOTION, *ASKED_BY_DERIVATION, *RULES)}
PASSES = tuple([step.name for step in EVERY])
NAMES = tuple(REASONS)  # what can be switched off


@dataclass
class Instruments(instruments.Instruments):
    """Instruments, with names that there are."""

    def __post_init__(self) -> None:
        unknown = [name for name in self.without if name not in NAMES]
        assert not unknown, f"there is no pass {unknown[0]}: the passes are {', '.join(NAMES)}"


def optimise(roots: Iterable[Func]) -> None:
    """Run `AFTER_TRACING` over these functions and all that they call, in place, each once."""
    todo, seen, context = list(roots), dict[Func, None](), Context((), False)
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
    funcs: Mapping[str, Func], *, simd: bool = False, finite: bool = False, asked: instruments.Instruments | None = None
) -> dict[str, Func]:
    """The optimised copies of these functions, by name: faster, with the same bits.

    The functions stay as they are, but for dead code: what is derived from them later does not depend on what was
    compiled before. With `simd`, loops are left for the back end to vectorise. Of `finite` numbers, products with 0.0
    and sums with it are left out, and bits may differ.
    """
    if asked is not None:
        with instrumented(asked):
            return optimised(funcs, simd=simd, finite=finite)
    return in_stages(funcs, LAST_OF_FINITE if finite else LAST, simd)


def in_stages(funcs: Mapping[str, Func], last_passes: Sequence[Pass], simd: bool) -> dict[str, Func]:
    """The optimised copies of these functions, with these passes for the last ones."""
    optimise(funcs.values())
    funcs = {name: hoisted(f) for name, f in funcs.items()}
    context = Context(funcs.values(), simd)
    inlined = _each(funcs.values(), PER_FUNCTION, context)
    program = run_all(PROGRAM.name, {name: inlined[f] for name, f in funcs.items()}, remove_dead_arguments)
    context.made = {}
    last = _each(program.values(), last_passes, context)
    return {name: last[f] for name, f in program.items()}


def write_out(f: Func) -> Func:
    """`f` as the pipeline makes it. A Jacobian is derived from it where it has no loops and no calls."""
    return run("write-out", f, lambda f: optimised({"f": f})["f"])


def _each(roots: Iterable[Func], passes: Sequence[Pass], context: Context) -> dict[Func, Func]:
    """The result of some passes over these functions and all that they call, callees first."""
    made = context.made
    for root in roots:
        for f in callees_first(root, lambda g: g not in made):
            made[f] = _through(passes, f if f.has_body else with_parts(f, made), context)
            step("optimise")
    return made


def _through(passes: Sequence[Pass], f: Func, context: Context) -> Func:
    for p in [p for p in passes if p.of_parts != f.has_body]:
        if not p.edits or f not in context.given:
            f = p.over(f, context)
    return f
