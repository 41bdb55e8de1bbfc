"""Mathematics inside the module: what the linker adds, and that the interpreter has the same bits."""

import gzip
import hashlib
import shutil
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest
from libm_points import INF, NAN, Instance, arity, bits, instance, module, points
from paths import ROOT, TESTS

from rose.ir.libm import DOUBLE, SINGLE, function
from rose.ir.libm.decode import decode
from rose.ir.libm.library import FILE, closure, library, pack, unpack
from wasm_backend.binary.encoder import F32, F64
from wasm_backend.libm.link import notice

ALL = [*DOUBLE, *SINGLE]


# the same bits


@pytest.mark.parametrize("name", ALL)
def test_python_and_webassembly_agree_to_the_bit(name: str):
    at, f = points(name, 10_000), function(name)
    compiled = instance(name).over(name, at)
    wrong = [(x, bits(y), bits(f(*x))) for x, y in zip(at, compiled, strict=True) if bits(y) != bits(f(*x))]
    assert not wrong, f"{len(wrong)} points, such as {wrong[:3]}"


def test_a_module_with_all_functions_computes_what_modules_with_one_do():
    every = Instance(module(ALL, sweeps=True))
    for name in ALL:
        at = points(name, 200)
        assert list(map(bits, every.over(name, at))) == list(map(bits, instance(name).over(name, at))), name


def test_threads_do_not_share_memory():
    """A huge angle is reduced in memory."""
    f, expected, wrong = function("sin"), function("sin")(1e300), list[float]()

    def work() -> None:
        wrong.extend([y for y in [f(1e300) for _ in range(200)] if y != expected])

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong


# the linker


SIZES = {  # bytes of a module that exports the function and its memory, with its name section
    "exp": 2_900, "exp2": 2_900, "expm1": 850, "log": 5_000, "log2": 2_950, "log10": 600, "log1p": 600, "sin": 6_800,
    "cos": 6_800, "tan": 6_850, "asin": 700, "acos": 800, "atan": 700, "atan2": 1_200, "sinh": 3_900, "cosh": 3_900,
    "tanh": 1_100, "asinh": 5_700, "acosh": 5_600, "atanh": 750, "pow": 8_000, "cbrt": 350, "hypot": 450, "erf": 3_950,
    "erfc": 4_000, "tgamma": 10_400, "lgamma": 7_150, "fmod": 650, "expf": 750, "logf": 700, "sinf": 5_850,
    "tanhf": 900,
}  # fmt: skip


@pytest.mark.parametrize("name", SIZES)
def test_a_module_has_what_it_calls_and_nothing_more(name: str):
    assert len(module([name])) <= SIZES[name]


def test_functions_share_what_they_both_need():
    each = sum([len(module([name])) for name in DOUBLE])
    assert len(module(DOUBLE)) < each / 2.5
    assert len(gzip.compress(module(DOUBLE), mtime=0)) < 21_500


def test_only_what_reduces_an_angle_has_a_stack():
    with_stack = {name for name in ALL if closure([name]).stack}
    assert with_stack == {"sin", "cos", "tan", "sinf", "cosf", "tanf"}


def test_a_name_may_be_asked_for_twice_and_none_at_all():
    assert module(["exp", "log", "exp"]) == module(["exp", "log"])
    assert len(module([])) < 40


@pytest.mark.parametrize("name", ALL)
def test_the_types_of_a_function(name: str):
    f = library().functions[name]
    t = F32 if name in SINGLE else F64
    assert (f.params, f.results) == ((t,) * arity(name), (t,))


@pytest.mark.skipif(shutil.which("wasm-validate") is None, reason="wasm-validate is not installed")
@pytest.mark.parametrize("names", [[], ["exp"], ["sin"], ["lgamma"], DOUBLE, SINGLE, ALL], ids=len)
def test_a_second_validator_accepts_the_modules(names: list[str], tmp_path: Path):
    (tmp_path / "m.wasm").write_bytes(module(names))
    subprocess.run(["wasm-validate", tmp_path / "m.wasm"], check=True)


@pytest.mark.slow
def test_the_same_module_is_the_same_bytes_whatever_the_hashes():
    code = f"import sys; sys.path[:0] = {[str(ROOT), str(TESTS / 'support')]}\n"
    code += (
        "import hashlib, libm_points; print(hashlib.sha256(libm_points.module(['sin', 'pow', 'lgammaf'])).hexdigest())"
    )
    wasm = hashlib.sha256(module(["sin", "pow", "lgammaf"])).hexdigest()
    for seed in "0", "1":
        env = {"PYTHONHASHSEED": seed}
        done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == wasm


# the file


def test_the_file_is_small_and_comes_back_as_it_was():
    raw = Path(FILE).read_bytes()
    assert pack(unpack(raw)) == raw
    assert len(raw) < 64_000


def test_the_library_asks_nothing_of_a_host():
    """Only these are there, beside the functions themselves: no errno, no memory management, no files."""
    helpers = set(library().functions) - set(ALL)
    assert {name.strip("_").split("_")[0].split(".")[0] for name in helpers} <= {
        "cos", "cosdf", "erf", "erff", "exp", "exp2", "expo2", "expo2f", "lgamma", "lgammaf", "math", "pow", "rem",
        "scalbn", "sin", "sindf", "tan", "tandf",
    }  # fmt: skip
    assert [d.name for d in library().data.values() if not any(d.content)] == ["__signgam"]


def test_nothing_in_the_code_is_newer_than_webassembly_1():
    used = {i.mnemonic for f in library().functions.values() for i in decode(f, library().opcodes)[1]}
    assert used == {mnemonic for mnemonic, _ in library().opcodes.values()}
    assert not [m for m in used if "sat" in m or "extend8" in m or m.startswith("memory.") or m == "call_indirect"]


def test_it_needs_the_standard_library_alone():
    code = """
        import sys
        for name in "wasmtime", "numpy", "wasm_backend":
            sys.modules[name] = None
        from rose.ir.libm import function
        assert function("exp")(1.0) == 2.718281828459045
        assert function("lgammaf")(3.0) == 0.6931471824645996
    """
    subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n" + textwrap.dedent(code)], check=True
    )


def test_a_name_that_is_not_there():
    with pytest.raises(AssertionError, match="gamma"):
        function("gamma")


def test_nan_and_infinity_are_given_and_taken():
    assert bits(function("atan2")(INF, NAN)) == "nan" == bits(function("sin")(INF))


def test_the_notices_are_those_of_what_a_module_has():
    assert b"musl" in notice(["sin"]) and b"SciPy" not in notice(["sin"])
    assert notice(["special_jv"]) == (ROOT / "NOTICE").read_bytes()
