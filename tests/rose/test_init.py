"""The names of `rose` that a user sees."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

import pytest

import rose
import wasm_backend


def test_dir_lists_public_names_and_no_rooms():
    assert set(dir(rose)) == {*rose.__all__, "lib", "testing"}


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
