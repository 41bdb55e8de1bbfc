"""Passes that make a function smaller or faster, and keep every bit: one file for each.

A pipeline is a tuple of functions from a function to a function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ..ir import Func
from ..ir.callgraph import callees, callees_first, of_parts
from ..ir.progress import step
from .dead_arguments import remove_across_calls
from .dead_code import remove_dead_code
from .inlining import inline
from .join_halves import join_pairs
from .outlining import LONG, split
from .scalar_replacement import split_accumulators
from .scheduling import reorder
from .unroll_and_jam import jammed
from .unrolling import unrolled

PIPELINE: tuple[Callable[[Func], Func], ...] = (remove_dead_code,)


def optimise(roots: Iterable[Func]) -> None:
    """Run the pipeline over these functions and all that they call, each once."""
    todo, seen = list(roots), dict[Func, None]()
    while todo:
        f = todo.pop()
        if f in seen:
            continue
        seen[f] = None
        if "optimised" not in f.memo:
            f.memo["optimised"] = True
            for run in PIPELINE:
                run(f)
            step("optimise")
        todo.extend(callees(f))


def optimised(funcs: Mapping[str, Func], *, simd: bool = False) -> dict[str, Func]:
    """What the back end is given in the place of these functions, by name: the same to the bit, and faster.

    They stay as they are: what is derived from them later does not depend on what was compiled before. With `simd`, the
    back end can do two turns of a loop at once.
    """
    optimise(funcs.values())
    inlined = inline(funcs.values(), simd=simd)
    least = remove_across_calls({name: inlined[f] for name, f in funcs.items()})
    made: dict[Func, Func] = {}
    for root in least.values():
        for f in callees_first(root, lambda g: g not in made):
            made[f] = _last_steps(f, made, is_new=f not in inlined, simd=simd)
            step("optimise")
    return {name: made[f] for name, f in least.items()}


def _last_steps(f: Func, made: Mapping[Func, Func], is_new: bool, simd: bool) -> Func:
    """What is compiled for `f`, when all that it calls is done."""
    if not f.has_body:
        return of_parts(f, made)
    joined = join_pairs(f, made)
    flat, groups = jammed(joined)
    new = split_accumulators(unrolled(flat, made, simd=simd, stay=groups))
    if new is not f or is_new:
        reorder(new)
    return new if joined is f else split(new, LONG)
