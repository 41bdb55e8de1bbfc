"""Debug information: the origin of each instruction."""

from typing import Any

import rose
from rose import Real, Vec, fn
from wasm_backend.abi.signature import Lowered
from wasm_backend.lower import lower


@fn
def f(x: Real) -> Real:
    return (
        rose.sqrt(x)
        * rose.floor(x)
        + 1.0
    )  # fmt: skip


FIRST = f.func.body.code[0].loc.position()[1]


def lines(made: Lowered) -> list[int | None]:
    """The lines that the instructions come from, relative to the first."""
    return [loc and loc.position()[1] - FIRST for _, loc in made.origins]


def test_a_module_has_origins_only_if_somebody_asks_for_them():
    assert lower({"f": f.func}).origins == ()
    asked = lower({"f": f.func}, asking=())
    assert asked.origins != () and asked.wasm == lower({"f": f.func}).wasm


def test_an_operand_has_its_own_line_and_what_reads_it_the_rest():
    found = [line for line in lines(lower({"f": f.func}, asking=())) if line is not None]
    assert found == [0, 1, 0, 0]


def test_code_that_asks_for_a_module_is_no_origin():
    def body(x: Any) -> Any:
        return rose.sqrt(x)

    g = fn([Real], Real)(body)
    made = lower({"g": g.func}, asking=[body.__code__])
    assert {loc for _, loc in made.origins} == {None}


def test_vectorised_loops_have_the_lines_of_their_values():
    g = fn([Vec[64]], Real)(lambda x: rose.sum(rose.sqrt(x[i]) * x[i] / (1.0 + x[i]) for i in rose.range(64)))
    made = lower({"g": g.func}, simd=True, asking=())
    assert made.plain is not None
    assert {loc and loc.position()[1] for _, loc in made.origins} == {
        loc and loc.position()[1] for _, loc in made.plain.origins
    }
