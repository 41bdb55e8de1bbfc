"""`fft`, `rfft` and their kin: NumPy's values for every norm, size and axis, of real and of complex numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.fft
from same_bits import entry, in_node
from transforms import SHORT, agree, numbers

import rose
from rose import Complex, OutOfRange, Real, TypeMismatch, Vec, fn
from rose.host.interpreter import run
from rose.host.marshal import plain

NORMS = (None, "backward", "ortho", "forward")
NAMES = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")


def given(name: str, *shape: int) -> Any:
    return numbers(*shape, real=name in ("rfft", "ihfft"))


@pytest.mark.parametrize("n", SHORT)
@pytest.mark.parametrize("name", NAMES)
def test_values_are_numpys(name: str, n: int):
    x, more = given(name, n), {"n": n} if name in ("irfft", "hfft") else {}
    agree(lambda x: getattr(rose.fft, name)(x, **more), getattr(np.fft, name)(x, **more), x)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("name", NAMES)
def test_norms_and_axes_are_numpys(name: str, axis: int, norm: str | None):
    x = given(name, 4, 3, 6)
    agree(lambda x: getattr(rose.fft, name)(x, axis=axis, norm=norm), getattr(np.fft, name)(x, axis=axis, norm=norm), x)


@pytest.mark.parametrize("n", [1, 3, 5, 8, 9])
@pytest.mark.parametrize("name", NAMES)
def test_an_axis_is_cut_or_gets_zeros(name: str, n: int):
    x = given(name, 2, 5)
    agree(lambda x: getattr(rose.fft, name)(x, n), getattr(np.fft, name)(x, n), x)
    agree(lambda x: getattr(rose.fft, name)(x, n, 0), getattr(np.fft, name)(x, n, 0), x)


@pytest.mark.parametrize("n", [1, 2, 7, 8])
@pytest.mark.parametrize("name", ["fft", "ifft", "irfft", "hfft"])
def test_reals_and_conditions_are_numbers(name: str, n: int):
    x, more = numbers(n, real=True), {"n": n} if name in ("irfft", "hfft") else {}
    agree(lambda x: getattr(rose.fft, name)(x, **more), getattr(np.fft, name)(x, **more), x)
    agree(lambda x: getattr(rose.fft, name)(x > 0.0, **more), getattr(np.fft, name)(x > 0.0, **more), x)


@pytest.mark.parametrize("name", NAMES)
def test_numpys_functions_take_traced_values(name: str):
    x = given(name, 3, 8)
    f = getattr(np.fft, name)
    agree(lambda x: f(x, 6, axis=0, norm="ortho"), f(x, 6, axis=0, norm="ortho"), x)


def test_scipys_functions_say_what_to_write():
    with pytest.raises(TypeMismatch) as e:
        _ = fn([Vec[4]], Vec[4, Complex])(lambda x: scipy.fft.fft(x)).func
    assert e.value.hint == "write rose.fft.fft(...) in its place"


def test_what_changes_nothing_may_be_given():
    x = numbers(4)
    agree(lambda x: rose.fft.fft(x, workers=2, overwrite_x=True), np.fft.fft(x), x)


def test_a_transform_is_called_in_loops_batches_and_structs():
    x = numbers(3, 8)
    rows: Any = lambda x: rose.vec(rose.fft.fft(x[i]) for i in rose.range(3))
    agree(rows, np.fft.fft(x), x)
    batch = rose.vmap(fn([Vec[8, Complex]], Vec[8, Complex])(rose.fft.fft))
    assert np.asarray(batch(x)) == pytest.approx(np.fft.fft(x))

    @rose.struct
    class Signal:
        rate: Real
        samples: Vec[8]

    @fn
    def energy(s: Signal) -> Real:
        return rose.sum(abs(rose.fft.rfft(s.samples)) ** 2) * s.rate

    samples = x[0].real
    assert energy(Signal(2.0, samples)) == pytest.approx(2.0 * np.sum(abs(np.fft.rfft(samples)) ** 2))
    slope = rose.grad(energy)(Signal(2.0, samples))
    assert rose.testing.examine(energy, points=1).ok and np.shape(slope.samples) == (8,)


def test_a_transform_of_a_state_differentiates():
    def blurred(x: Any) -> Any:
        return rose.scan(lambda i, s: rose.fft.irfft(rose.fft.rfft(s) * (0.5 + 0.1 * i), 6) + s * s, x, 3)

    f = fn([Vec[6]], Real)(lambda x: rose.sum(rose.sin(blurred(x))))
    for g in (f, fn([Vec[6]], Vec[6])(rose.grad(f))):
        assert rose.testing.examine(g, points=1).ok


def test_a_module_in_single_precision_is_near():
    x = numbers(12)
    f = fn([Vec[12, Complex]], Vec[12, Complex])(rose.fft.fft)
    assert np.asarray(rose.compile(f, dtype="f32")(np.complex64(x))) == pytest.approx(np.fft.fft(x), rel=1e-5, abs=1e-5)


def refused(f: Any, *types: Any) -> str:
    with pytest.raises((TypeMismatch, OutOfRange)) as e:
        _ = fn([*types], Real)(lambda *x: rose.sum(abs(f(*x)))).func
    return e.value.message


def test_what_is_no_transform_is_refused():
    assert "transforms 1 number at least, not 0" in refused(rose.fft.fft, Vec[0])
    assert "transforms 1 number at least, not 0" in refused(lambda x: np.fft.fft(x, 0), Vec[4])
    assert "takes Reals, and a traced Vec[4, Complex]" in refused(rose.fft.rfft, Vec[4, Complex])
    assert "has no norm 'orthogonal'" in refused(lambda x: rose.fft.fft(x, norm="orthogonal"), Vec[4])
    assert "transforms arrays along an axis" in refused(rose.fft.fft, Real)
    assert "there is no axis 1" in refused(lambda x: rose.fft.fft(x, axis=1), Vec[4])
    assert "takes an integer as its size" in refused(lambda x: rose.fft.fft(x, 2.5), Vec[4])


def test_a_size_is_named_before_it_is_compiled():
    n = rose.dim("n")
    f = fn([Vec[n, Complex]], Vec[n, Complex])(lambda x: rose.fft.fft(x))
    assert np.asarray(f(numbers(6))) == pytest.approx(np.fft.fft(numbers(6)))
    assert np.asarray(rose.compile(f, n=6)(numbers(6))) == pytest.approx(np.fft.fft(numbers(6)))
    with pytest.raises(TypeMismatch, match="how they are transformed depends on the factors of their number"):
        _ = rose.compile(fn([Vec[n]], Vec[n])(lambda x: rose.fft.dct(x)), dynamic=True)


def test_node_has_the_same_bits(tmp_path: Path):
    bundle: list[Any] = []
    for n in (12, 49, 97):
        f = fn([Vec[n]], Real)(lambda x: rose.sum(abs(rose.fft.rfft(x)) ** 3))

        def row(x: Any, f: Any = f, n: int = n) -> Any:
            return rose.concatenate([rose.fft.fft(x).imag, rose.fft.irfft(x, n), rose.fft.dct(x), rose.grad(f)(x)])

        sweep = fn([Vec[2, n]], Vec[2, 4 * n])(lambda xs, row=row: rose.vec(row(xs[i]) for i in rose.range(2)))
        points = numbers(2, n, real=True)
        bundle.append(entry(f"of {n}", sweep, points, run(sweep.func, plain(points, sweep.types[0]))))
    assert in_node(bundle, tmp_path) == [[[f"of {n}", 2] for n in (12, 49, 97)], []]
