"""What the standard library is enough for; and that the bytes of a module depend on its program alone.

A program is run in other processes: in one that has no wasmtime, NumPy, click or rich, in others with other
hashes of strings, and in another directory. All must give the bytes that it gives here.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from paths import ROOT

THIRD = ("click", "numpy", "rich", "wasmtime")

PROGRAM = '''
"""Functions of many kinds, with their derivatives."""
import hashlib
from typing import NamedTuple

import rose
from rose import Bool, Dual, Fin, Real, Vec, fn, opaque
from rose.differentiation.gradients import pullback


@rose.struct
class Line:
    b0: Real
    b: Vec[3]
    at: Fin[3]


class Pair(NamedTuple):
    first: Real
    second: Bool


@opaque(name="Math.log", pure=True)
def log(x: Real) -> Real:
    return 0.0


@log.jvp
def _(x: Dual) -> Dual:
    return Dual(log(x.re), x.du / x.re)


@opaque
def tell(line: Line) -> None:
    pass


@fn
def loss(line: Line, xs: Vec[5, Vec[3]], names: {"alpha": Real, "beta": Vec[2, Bool]}) -> Real:
    tell(line)
    total = rose.accum(0.0)
    for i in rose.range(5):
        total += (line.b0 + rose.dot(line.b, xs[i]) - log(xs[i][line.at])) ** 2
    return total.value + rose.select(names["beta"][1], names["alpha"], 0.5)


@fn
def curve(v: Vec[3]) -> Real:
    return rose.prod(v[i] + rose.constant(Vec[3], [0.5, 1.5, 2.5])[i] for i in rose.range(3)) / v[0]


@fn
def pair(x: Real, y: Real) -> Pair:
    return Pair(rose.max(x, y) * rose.sqrt(x), x < y)


@fn
def long(x: Real) -> Real:  # split into several functions
    y = x
    for k in range(1500):
        y = rose.sqrt(y * y + k) - x
    return y


@fn
def many(x: Real) -> Real:  # calls of many functions
    for k in range(40):
        x = steps[k](x)
    return x


def step(k):
    return rose.fn([Real], Real)(lambda y: y * k + 1.0)


steps = [step(k) for k in range(40)]
functions = {
    "loss": loss, "curve": curve, "pair": pair, "long": long, "many": many, "grad_long": rose.grad(long),
    "grad_many": rose.grad(many), "grad": rose.grad(loss), "both": rose.value_and_grad(loss, (0, 1)),
    "pullback": pullback(loss), "jvp": rose.jvp(curve), "hessian": rose.hessian(curve), "hvp": rose.hvp(curve),
    "jacobian": rose.jacobian(pair), "third": rose.jacobian(rose.hessian(curve)),
}


def digest(data):
    return hashlib.sha256(data).hexdigest()


def digests():
    out = {name: digest(rose.compile({name: f}).wasm) for name, f in functions.items()}
    return {**out, "all": digest(rose.compile(functions).wasm)}
'''

REFUSE = f"""
import sys


class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {THIRD}:
            raise ImportError(name + " is refused")


sys.meta_path.insert(0, Refuse())
"""


def run(program: str, *, hashes: str = "0", cwd: Path = ROOT) -> Any:
    """What a program prints, as JSON, in a process of its own in which a warning is an error."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": hashes}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], cwd=cwd, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def tried(program: str) -> str:
    """The program, which says as JSON what the variable `out` is in the end."""
    return f"{program}\nimport json\nprint(json.dumps(out))"


def fresh() -> dict[str, Any]:
    scope: dict[str, Any] = {"__name__": "program"}
    sys.modules["program"] = type(sys)("program")  # annotations are looked up in the module of their class
    exec(compile(PROGRAM, "program", "exec"), scope)
    return scope


@pytest.fixture(scope="module")
def here() -> dict[str, str]:
    """The bytes of each function in this process, as digests."""
    return fresh()["digests"]()


@pytest.mark.slow
def test_the_standard_library_is_enough_to_trace_differentiate_and_compile(here: dict[str, str]):
    assert run(tried(f"{REFUSE}\n{PROGRAM}\nout = digests()")) == here


def test_the_standard_library_is_enough_to_save_and_to_show(tmp_path: Path):
    show = f"""
        made = rose.compile({{"curve": curve, "grad": rose.grad(curve)}})
        files = made.save({str(tmp_path / "out")!r}, "made")
        out = [[f.name for f in files], made.pretty(), made.disassemble(), repr(made), made.__name__, digest(made.wasm)]
    """
    show = "\n".join([x.strip() for x in show.splitlines()])
    names, *shown, name, wasm = run(tried(f"{REFUSE}\n{PROGRAM}\n{show}"))
    scope = fresh()
    made = sys.modules["rose"].compile({"curve": scope["curve"], "grad": sys.modules["rose"].grad(scope["curve"])})
    assert {"made.wasm", "index.js", "index.d.ts", "package.json", "made.json"} < set(names)
    assert shown == [made.pretty(), made.disassemble(), repr(made)]
    assert name == "curve"
    assert wasm == scope["digest"](made.wasm)
    made.save(tmp_path / "again", "made")
    out, again = [{f.name: f.read_bytes() for f in (tmp_path / k).iterdir()} for k in ("out", "again")]
    of_lines = {"made.wasm.map", "made.json"}  # in another file
    assert {k: out[k] for k in out.keys() - of_lines} == {k: again[k] for k in again.keys() - of_lines}


def test_a_call_without_wasmtime_and_numpy_says_what_is_missing():
    call = """
try:
    curve([1.0, 2.0, 3.0])
except ImportError as e:
    out = str(e)
"""
    said = run(tried(f"{REFUSE}\n{PROGRAM}\n{call}"))
    assert said in ("wasmtime is refused", "numpy is refused")


def test_without_wasmtime_and_numpy_a_certificate_says_that_nothing_was_checked():
    certify = "from rose.cli.certificate import certify\nout = certify({'curve': curve})['functions']['curve']"
    (note,) = run(tried(f"{REFUSE}\n{PROGRAM}\n{certify}"))["notes"]
    said = ("wasmtime is refused", "numpy is refused")
    assert note in [f"not checked, as no module can be run here: {why}" for why in said]


def test_importing_rose_imports_nothing_but_the_standard_library():
    new = run(tried("import sys\nbefore = set(sys.modules)\nimport rose\nout = sorted(set(sys.modules) - before)"))
    roots = {name.partition(".")[0] for name in new}
    assert "rose" in roots
    assert roots - {"rose"} <= sys.stdlib_module_names
    assert "wasm_backend" not in roots
    assert not roots & {*THIRD, "asyncio", "email", "http", "unittest"}  # nor what would make it slow


@pytest.mark.slow
def test_tracing_and_differentiating_do_not_import_the_back_end():
    program = f"{PROGRAM}\nfor f in functions.values(): f.func\nimport sys\nout = [k for k in sys.modules]"
    roots = {name.partition(".")[0] for name in run(tried(program))}
    assert not roots & {"wasm_backend", *THIRD}


@pytest.mark.slow
@pytest.mark.parametrize("hashes", ["0", "1", "2"])
def test_the_bytes_do_not_depend_on_hashes(hashes: str, here: dict[str, str]):
    assert run(tried(f"{PROGRAM}\nout = digests()"), hashes=hashes) == here


@pytest.mark.slow
def test_the_bytes_do_not_depend_on_the_directory(here: dict[str, str], tmp_path: Path):
    (tmp_path / "program.py").write_text(PROGRAM)
    load = "import sys; sys.path.insert(0, ''); import program; out = program.digests()"
    assert run(tried(load), cwd=tmp_path) == here


@pytest.mark.slow
def test_the_bytes_are_the_same_each_time_in_one_process(here: dict[str, str]):
    scope = fresh()
    assert scope["digests"]() == here
    assert scope["digests"]() == here  # the same functions once more
    backwards = fresh()
    for f in reversed(backwards["functions"].values()):
        _ = f.func  # traced in another order
    assert backwards["digests"]() == here
