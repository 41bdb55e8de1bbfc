"""Values after each step of the compiler: of library calls, layers, functionals, examples and GradBench's programs.

`python -m tests.fuzz.values --seconds 600` looks at more of them, to order 3, for as long as it may.
"""

from __future__ import annotations

import random
import re
from types import ModuleType

import pytest
from pairs import seeds

import rose
from rose import fft, functional, implicit, linalg, nn
from tests.fuzz.values import GRADBENCH, WORDS, Sum, families

FAMILIES = families()
PARTS = 12
ROOMS = (linalg, fft, implicit, rose.random, nn, functional)
OTHERS = {"show", "functional"}  # which makes those that are differentiated


def word(name: str, most: int) -> str:
    """The modes by which a program is differentiated here: always the same, and another for each program."""
    return random.Random(name).choice([w for w in WORDS if 0 < len(w) <= most])


@pytest.mark.parametrize("room", ROOMS, ids=lambda m: m.__name__)
def test_each_public_function_is_in_a_program(room: ModuleType):
    named = {word for name in FAMILIES for word in re.findall(r"\w+", name)}
    public = {k: getattr(room, k) for k in room.__all__}
    functions = {k for k, f in public.items() if callable(f) and not isinstance(f, type)}
    assert functions - named <= OTHERS


@pytest.mark.parametrize("part", seeds(2, 4, quick=1))
def test_every_step_keeps_the_values_of_derivatives_of_library_calls(part: int):
    total = Sum(longest=2_000)
    for name in [name for name in FAMILIES if ": " not in name][part::PARTS]:
        for f in FAMILIES[name]().values():
            total.check(name, f, word(name, 3))
    assert total.failures == []
    assert sum(total.programs.values()) > 2 and total.numbers > 2 * total.nans


@pytest.mark.parametrize("name", [*GRADBENCH])
def test_every_step_keeps_the_values_of_derivatives_of_gradbench(name: str):
    total = Sum(longest=2_000)
    for f in FAMILIES[f"gradbench: {name}"]().values():
        total.check(name, f, word(name, 2))
    assert total.failures == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(3))
def test_every_step_keeps_the_values_of_derivatives_of_examples(part: int, capsys: pytest.CaptureFixture[str]):
    total = Sum(longest=600)
    for name in [name for name in FAMILIES if name.startswith("examples: ")][part::3]:
        for k, f in enumerate(FAMILIES[name]().values()):
            total.check(name, f, word(f"{name} {k}", 2))
    assert total.failures == []
    assert sum(total.programs.values()) > 5 and total.numbers > 3 * total.nans
