"""The names of `rose` that a user sees."""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
import subprocess
import sys
import textwrap
from tempfile import TemporaryDirectory
from types import ModuleType

import pytest
from click.testing import CliRunner
from paths import ROOT

import rose
import wasm_backend
from rose.cli.commands import main
from rose.ir import ops
from rose.version import VERSION


def test_dir_lists_public_names_and_no_rooms():
    rooms = {
        "fft", "functional", "implicit", "interpretations", "lib", "linalg", "nn", "optim", "random", "special",
        "stats", "testing",
    }  # fmt: skip
    assert set(dir(rose)) == {*rose.__all__, *rooms, "__version__"}


def test_the_version_is_that_of_the_command_line():
    assert rose.__version__ == VERSION
    assert CliRunner().invoke(main, ["--version"]).output == f"rose {rose.__version__}\n"


def test_every_listed_name_is_there():
    assert all([hasattr(rose, name) for name in dir(rose)])


STUB = ROOT / "rose" / "__init__.pyi"
HEAD = """\
\"\"\"The names of `rose` as type checkers see them.

Made from the table of `rose/__init__.py` by `pytest tests/rose/test_init.py --bless`.
\"\"\"

# ruff: noqa: F403
"""
TYPED = ("Bool", "Complex", "Dual", "Fin", "Real", "Tan", "Unit", "Vec")  # to a checker, numbers and arrays


def stub() -> str:
    """The text of the stub."""
    lines = [(".", name, name) for name in rose.ROOMS]
    lines += [(".frontend", "typed_operations", "ops"), *[(".frontend.typed", name, name) for name in TYPED]]
    for module, names in rose.NAMES.items():
        for name, _, written in [word.partition(":") for word in names.split() if word not in TYPED]:
            lines += [(f".{module}", written or name, name)]
    lines = [(module, f"{name} as {shown}") for module, name, shown in lines] + [(".frontend.typed_operations", "*")]
    lines.sort(key=lambda line: (line[0], line[1][0].islower(), line[1]))
    imports = [f"from {module} import {what}" for module, what in lines]
    missing = "  # pyright: ignore[reportMissingModuleSource]"
    imports = [line + missing * ("typed_operations" in line) for line in imports]
    names = ", ".join([f'"{name}"' for name in rose.__all__ if name not in ops.__all__])
    listed = "\n    ".join(textwrap.wrap(names, 110))
    tail = f"__all__ = [\n    {listed},\n]  # fmt: skip\n__all__ += ops.__all__\n\n__version__: str"
    return HEAD + "\n".join([*imports, "", tail, ""])


def test_the_stub_is_that_of_the_table(bless: bool):
    if bless:
        STUB.write_text(stub(), encoding="utf-8")
    assert STUB.read_text(encoding="utf-8") == stub()


RARE = {"difflib", "fractions", "hashlib", "numpy", "pickle", "tempfile", "rose.ir.text", "wasm_backend.simd"}
RUNNING = RARE | {"ctypes", "wasmtime"}  # modules that only what runs a module needs,
COMPILING = RUNNING | {"json", "wasm_backend"}  # or compiles it,
WRITING = COMPILING | {"rose.build"}  # or traces a function,
BY_NAME = {"click", "pathlib", "random", "rich", "rose.autodiff", "rose.frontend", "rose.optimise"}  # or has a name
FIRST = "import rose\n@rose.fn\ndef f(x: rose.Real, v: rose.Vec[3]) -> rose.Real:\n    return rose.sin(x) * v[0]"
NUMBERS = "import rose\n@rose.fn\ndef f(x: rose.Real) -> rose.Real:\n    return rose.sin(x)\nassert f(0.0) == 0.0"


def loaded(program: str) -> set[str]:
    """The modules that a program loads, in a process of its own."""
    code = f"import sys\nbefore = set(sys.modules)\n{program}\nprint(*set(sys.modules) - before)"
    command = [sys.executable, "-c", code]
    with TemporaryDirectory() as cache:  # as it is for a user, and not as for tests
        env = {**os.environ, "ROSE_CACHE": cache}
        made = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    return set(made.stdout.split())


@pytest.mark.parametrize(
    ("program", "ours", "not_yet"),
    [
        ("import rose", 32, WRITING | BY_NAME),
        (FIRST, 80, WRITING),
        (f"{FIRST}\nf.func", 111, COMPILING),
        (f"{FIRST}\nrose.compile(f)", 185, RUNNING),
        (NUMBERS, 196, RARE),
        (f"{NUMBERS}\nassert rose.value_and_grad(rose.grad(f))(0.0) == (1.0, 0.0)", 221, RARE),
    ],
    ids=["import", "fn", "trace", "compile", "numbers", "derivatives"],
)
def test_a_module_is_imported_when_it_is_needed(program: str, ours: int, not_yet: set[str]):
    modules = loaded(program)
    assert sum([name.partition(".")[0] in ("rose", "wasm_backend") for name in modules]) <= ours
    assert not modules & {*not_yet, *[f"rose.{room}" for room in rose.ROOMS]}


@pytest.mark.parametrize("room", rose.ROOMS)
def test_a_room_can_be_imported_first(room: str):
    """And each part of it is what it is after all others."""
    program = f"import rose.{room} as room\nfrom rose import {room}\nassert room is {room}\nprint(*dir(room))"
    names = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert names.stdout.split() == sorted(getattr(rose, room).__all__)


def test_a_star_imports_all_that_is_listed():
    scope: dict[str, object] = {}
    exec("from rose import *", scope)
    assert set(rose.__all__) <= set(scope)


def hidden(package: ModuleType) -> list[str]:
    """The modules in `package` that an attribute of the package with their name hides."""
    found: list[str] = []
    for m in pkgutil.iter_modules(package.__path__):
        if m.name != "__main__":
            module = importlib.import_module(f"{package.__name__}.{m.name}")
            found += [module.__name__] if getattr(package, m.name) is not module else []
            found += hidden(module) if m.ispkg else []
    return found


@pytest.mark.parametrize("package", [rose, wasm_backend])
def test_no_module_bears_a_name_that_its_package_exports(package: ModuleType):
    assert hidden(package) == []


@pytest.mark.parametrize("name", ["maximum", "arctan2", "dynamic_slice", "check"])
def test_a_name_of_numpys_says_what_to_write(name: str):
    with pytest.raises(rose.RoseError, match=rf"rose has no {name}") as e:
        getattr(rose, name)
    assert "in its place" in e.value.hint
    assert not hasattr(rose, name)


@pytest.mark.parametrize(("name", "hint"), [("sine", "did you mean rose.sin?"), ("zzz", "dir(rose) lists what it has")])
def test_a_name_of_nothing_has_the_nearest_as_a_hint(name: str, hint: str):
    with pytest.raises(AttributeError, match=f"rose has no {name}") as e:
        getattr(rose, name)
    assert isinstance(e.value, rose.RoseError)
    assert e.value.hint == hint


def test_what_python_asks_a_module_for_is_an_error_of_pythons():
    with pytest.raises(AttributeError, match="module 'rose' has no attribute '__wrapped__'"):
        getattr(rose, "__wrapped__")  # noqa: B009


def test_help_shows_the_parameters_and_the_meaning_of_an_operation():
    assert str(inspect.signature(rose.atan2)) == "(y, x, /)"
    assert rose.sin.__doc__ == "sin(x, /): The sine of an angle in radians."
    assert all(str(inspect.signature(getattr(rose, name))) in getattr(rose, name).__doc__ for name in ops.__all__)
