"""Where modules can be stopped, and that nobody sees it in the bytes or in the bits."""

import struct
from typing import Any

import pytest

import rose
from rose import Real, Vec, fn
from rose.host import interpreter
from wasm_backend.abi.signature import Stop
from wasm_backend.codegen import costs

n = rose.dim("n")


def stops(f: rose.Fn, **options: object) -> list[Stop]:
    return [stop for _, stop in rose.compile(f, **options)._lowered.stops]  # pyright: ignore


def scan(count: int) -> rose.Fn:
    return fn([Real], Real)(lambda x: rose.scan(lambda i, s: s * x + 0.1, x, count))


def pairs(count: int) -> rose.Fn:
    inner = lambda v, i: rose.sum(v[i] * v[j] for j in rose.range(count))
    return fn([Vec[count]], Real)(lambda v: rose.sum(inner(v, i) for i in rose.range(count)))


ENDLESS = fn([Real], Real)(lambda x: rose.while_loop(lambda s: s > -1.0, lambda s: s * 0.5 + x, x))


def test_a_short_program_has_no_stop():
    assert stops(scan(1000)) == stops(rose.value_and_grad(scan(1000))) == stops(pairs(300)) == []


def test_each_while_loop_has_a_stop_that_knows_its_line():
    assert [stop.where for stop in stops(ENDLESS)] == ["test_stops.py:30"]
    assert len(stops(rose.value_and_grad(ENDLESS))) == 2


def test_of_a_large_nest_the_outer_loop_has_a_stop():
    (stop,) = stops(pairs(5000))
    assert stop.locals, "the numbers that live there"


def test_a_nest_of_a_size_that_only_a_call_tells_has_a_stop():
    f = fn([Vec[n]], Real)(lambda v: rose.sum(v[i] * v[j] for i in rose.range(n) for j in rose.range(n)))
    assert stops(f, dynamic=True)


def test_what_functions_do_is_counted():
    def body(i, s):
        return rose.scan(lambda j, t: t * 0.5 + s, s, 2**14)

    assert stops(fn([Real], Real)(lambda x: rose.scan(body, x, 2**14)))


def bits(x: Any) -> bytes:
    return struct.pack("d", x) if isinstance(x, float) else b"".join([bits(y) for y in x])


def in_pieces(f: rose.Fn, monkeypatch: pytest.MonkeyPatch, most: int) -> bytes:
    monkeypatch.setattr(costs, "STOP_INSTRUCTIONS", most)
    return rose.compile(f).wasm


@pytest.mark.parametrize(("count", "most"), [(1, 64), (2, 64), (37, 64), (64, 100), (500, 1000)])
def test_a_loop_in_pieces_gives_the_same_bits(count: int, most: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(costs, "STOP_INSTRUCTIONS", most)
    for f in (scan(count), rose.value_and_grad(scan(count)), rose.grad(pairs(min(count, 30)))):
        x = 0.7 if f.types == (Real,) else [0.1 * k for k in range(min(count, 30))]
        want = interpreter.run(f.func, x if isinstance(x, float) else tuple(x))
        found = rose.compile(f)(x)
        assert bits(found) == bits(want)


def test_a_long_loop_of_short_iterations_is_two_loops(monkeypatch: pytest.MonkeyPatch):
    whole = rose.compile(scan(1000)).wasm
    assert in_pieces(scan(1000), monkeypatch, 1000) != whole
