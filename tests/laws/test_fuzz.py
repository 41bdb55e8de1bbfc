"""Laws that hold for every program, on random ones.

`ROSE_FUZZ=2000` runs as many programs for each law; otherwise it is a few dozen, always the same.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness import same
from operations import plant
from pairs import seeds
from paths import ROOT, TESTS
from random_programs import Program, program
from second_semantics import Meaning, untraced
from shrinker import shrunk, statements

import rose
from rose.host.interpreter import run
from rose.ir import OPS
from tests.fuzz.derivatives import AnyFn, pulled_back
from tests.fuzz.large import large
from tests.fuzz.laws import (
    ORDERS,
    THIRD,
    law_of_arms,
    law_of_checkpoints,
    law_of_eager_runs,
    law_of_first_derivatives,
    law_of_higher_derivatives,
    law_of_values,
)  # fmt: skip

MANY = int(os.environ.get("ROSE_FUZZ", "0"))
# Parts of each law's programs, which can run beside one another: of these one is quick.
PARTS = seeds(4 if MANY else 2, 4, quick=1)
SEEN: Counter[str] = Counter()


@pytest.fixture(scope="module", autouse=True)
def statistics() -> Iterator[None]:
    """What the programs were made of: to be seen with `pytest -s`."""
    yield
    width = max([len(tag) for tag in SEEN], default=0)
    print("\n" + "\n".join([f"{tag:{width}} {n}" for tag, n in sorted(SEEN.items())]))


def drawn(part: int, k: int, budget: int = 60) -> Program:
    r = random.Random(f"{part}, {k}")
    return program(lambda n: int(r.random() * n), budget)


def for_programs(law: Callable[[Program], None], few: int, part: int, budget: int = 60) -> None:
    """`law` holds for some programs; a small one that breaks it is shown."""
    for k in range(-(-MANY // len(PARTS)) or few):
        p = drawn(part, k, budget)
        SEEN.update([*p.tags, "programs"])
        try:
            law(p)
        except Exception as e:
            e.add_note(f"seed {part}, {k}; a small program that fails so:\n{shrunk(p, law)}")
            raise


# the laws, on few or many programs


@pytest.mark.parametrize("part", PARTS)
def test_the_interpreter_and_the_module_give_the_same_bits(part: int):
    for_programs(law_of_values, 15, part)


@pytest.mark.parametrize("part", PARTS)
def test_what_runs_at_once_gives_the_same_bits(part: int):
    for_programs(law_of_eager_runs, 15, part)


@pytest.mark.parametrize("part", PARTS)
def test_forward_and_reverse_are_adjoint(part: int):
    for_programs(law_of_first_derivatives, 12, part)


@pytest.mark.parametrize("part", PARTS)
def test_every_composition_to_second_order_agrees(part: int):
    for_programs(lambda p: law_of_higher_derivatives(p, ORDERS), 5, part, budget=35)


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_every_composition_to_third_order_agrees(part: int):
    for_programs(lambda p: law_of_higher_derivatives(p, THIRD), 2, part, budget=20)


@pytest.mark.parametrize("part", PARTS)
def test_an_arm_that_is_not_taken_changes_no_derivative(part: int):
    for_programs(lambda p: law_of_arms(p, ("j", "v", "jv", "vj", "vv")), 5, part, budget=35)


@pytest.mark.parametrize("part", PARTS)
def test_checkpoints_change_no_bit_of_what_is_reversed_once(part: int):
    for_programs(law_of_checkpoints, 15, part)


@pytest.mark.parametrize("number", [1395, 1579])
def test_large_programs_that_broke_a_law(number: int):
    """The norm of a matrix, of the sum in one order; and a vector that loop distribution made an element of another."""
    law_of_values(large(number))


@pytest.mark.parametrize("seed", [(0, 70)])
def test_programs_that_broke_a_law(seed: tuple[int, int]):
    """Rows of a matrix that nobody reads, in a loop that is compiled before dead code is removed."""
    law_of_values(drawn(*seed))


def test_a_program_whose_indices_have_smaller_ranges_when_it_runs_at_once():
    law_of_eager_runs(drawn(0, 75))


# what is shown of a program that fails


@pytest.mark.slow
def test_a_program_that_fails_is_shown_with_three_statements_at_most(monkeypatch: pytest.MonkeyPatch):
    """The bug is planted: the interpreter has another `max`."""

    def law(p: Program) -> None:
        scope, meaning = p.run(), p.run(Meaning)
        assert same(run(scope["main"].func, *p.args[0]), untraced(meaning["main"](*p.args[0]), p.result))

    plant(monkeypatch, OPS["max"], eval=lambda x, y: x + y + 1e-3)
    with pytest.raises(AssertionError) as e:
        for_programs(law, 100, 2)
    shown = e.value.__notes__[-1]
    assert shown.startswith("seed 2, ")
    source = shown.partition(":\n")[2]
    assert "rose.max(" in source
    assert statements(source) <= 3


# bytes


def modules(count: int) -> Iterator[bytes]:
    """The bytes of some programs and of their gradients, always the same."""
    found: list[Program] = []
    for_programs(found.append, count, 99)
    for p in found[:count]:
        f: AnyFn = p.run()["main"]
        named: dict[str, AnyFn] = {"main": f}
        if p.result.real and any([t.real for t in p.types]):
            named["vjp"] = pulled_back(f)
        yield rose.compile(named).wasm


def digest() -> str:
    return hashlib.sha256(b"".join(modules(12))).hexdigest()


@pytest.mark.slow
def test_bytes_do_not_depend_on_hashes():
    code = (
        f"import sys; sys.path[:0] = {[str(ROOT), str(TESTS / 'support')]}; import {__name__} as t; print(t.digest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True,
            env={**os.environ, "PYTHONHASHSEED": seed_, "ROSE_FUZZ": "0"},
        ).stdout
        for seed_ in ("0", "1")
    }  # fmt: skip
    assert len(digests) == 1


@pytest.mark.slow
def test_a_validator_accepts_every_module(tmp_path: Path):
    if shutil.which("wasm-validate") is None:
        pytest.skip("wasm-validate (Debian's wabt) is not installed")
    for k, wasm in enumerate(modules(30)):
        file = tmp_path / f"{k}.wasm"
        file.write_bytes(wasm)
        subprocess.run(["wasm-validate", str(file)], check=True)
