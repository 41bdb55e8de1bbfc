"""Large programs: those of `tests/support/random_programs.py`, each with the laws that its seed chooses."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial

from random_programs import Program, program

from .laws import (
    law_of_arms,
    law_of_checkpoints,
    law_of_eager_runs,
    law_of_first_derivatives,
    law_of_higher_derivatives,
    law_of_values,
)  # fmt: skip
from .modes import (
    law_of_batches,
    law_of_hessians,
    law_of_passes,
    law_of_simd,
    law_of_single_precision,
    law_of_structs,
    law_of_text,
)  # fmt: skip
from .report import Report

Law = Callable[[Program], object]

BUDGETS = (15, 30, 60)  # expressions of a program: those with more have no law of higher order
ALWAYS: dict[str, Law] = {
    "interpreter = module = meaning, to the bit": law_of_values,
    "forward = reverse = meaning": law_of_first_derivatives,
    "eager = interpreter": law_of_eager_runs,
    "with = without checkpoints": law_of_checkpoints,
    "simd module = interpreter": law_of_simd,
    "f32 module = interpreter": law_of_single_precision,
    "map = threads = single calls": law_of_batches,
    "gradients of structs = of their numbers": law_of_structs,
    "parse of the text = the function": law_of_text,
}
ORDERS = (("jj", "vj"), ("jv", "vv"), ("lv", "vl"), ("g", "gv"))
THIRD = (("vvv",), ("vjv",), ("jvv",), ("vvj",), ("jjv",), ("jvj",), ("vjj",), ("jjj",))
ARMS = (("j", "v"), ("v", "vj"), ("j", "jv"))
SOMETIMES: dict[str, tuple[float, Callable[[random.Random], Law]]] = {
    "order 2 = meaning": (0.5, lambda r: partial(law_of_higher_derivatives, orders=r.choice(ORDERS))),
    "order 3 = meaning": (0.25, lambda r: partial(law_of_higher_derivatives, orders=r.choice(THIRD))),
    "an arm that is not taken changes nothing": (0.5, lambda r: partial(law_of_arms, orders=r.choice(ARMS))),
    "each pass alone, and all but it, keep every bit": (0.5, lambda r: law_of_passes),
    "dense = sparse = symmetric Hessian": (0.5, lambda r: law_of_hessians),
}
HIGHER = ("order 2 = meaning", "order 3 = meaning", "dense = sparse = symmetric Hessian")


def large(seed: int) -> Program:
    """The large program of this number."""
    r = random.Random(seed)
    budget = r.choice(BUDGETS)
    return program(lambda n: int(r.random() * n), budget)


def laws(seed: int) -> dict[str, Law]:
    """The laws for the program of this number."""
    r = random.Random(seed)
    is_long = r.choice(BUDGETS) == max(BUDGETS)
    some = {k: make(r) for k, (share, make) in SOMETIMES.items() if r.random() < share}
    return {**ALWAYS, **{k: law for k, law in some.items() if not (is_long and k in HIGHER)}}


def check_large(seeds: Sequence[int]) -> Report:
    report = Report(programs=len(seeds))
    for seed in seeds:
        p = large(seed)
        report.features.update(p.tags.keys())
        for name, law in laws(seed).items():
            try:
                law(p)
                report.laws[name] += 1
            except Exception as e:
                report.failed(seed, e, name)
    return report


def law_of_large(p: Program, seed: int) -> None:
    """All laws that the seed chooses."""
    for law in laws(seed).values():
        law(p)
