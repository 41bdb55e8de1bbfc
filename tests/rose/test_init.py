"""The names of `rose` that a user sees."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from types import ModuleType

import pytest
from click.testing import CliRunner

import rose
import wasm_backend
from rose.cli.commands import main
from rose.ir import ops
from rose.version import VERSION


def test_dir_lists_public_names_and_no_rooms():
    rooms = {"functional", "implicit", "interpretations", "lib", "linalg", "nn", "random", "testing"}
    assert set(dir(rose)) == {*rose.__all__, *rooms, "__version__"}


def test_the_version_is_that_of_the_command_line():
    assert rose.__version__ == VERSION
    assert CliRunner().invoke(main, ["--version"]).output == f"rose {rose.__version__}\n"


def test_every_listed_name_is_there():
    assert all([hasattr(rose, name) for name in dir(rose)])


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


@pytest.mark.parametrize("name", ["maximum", "arctan2", "switch", "check"])
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
