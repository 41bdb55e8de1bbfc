"""The user's program: finding and loading its functions, and reporting its errors and progress on a terminal."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from traceback import format_exception_only, walk_tb
from types import ModuleType
from typing import cast

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from ..errors import Loc, RoseError, here, is_ours
from ..frontend.function import AnyFn, Fn, Opaque
from ..frontend.text_programs import parse_file
from ..functional.functionals import Functional
from ..ir.progress import watched
from ..ir.types import Ref

_CLICK = str(Path(click.__file__).parent) + os.sep


class Wrong(click.ClickException):
    """The user's program is wrong."""

    exit_code = 1


class Refused(click.ClickException):
    """The command is wrong."""

    exit_code = 2


class Incorrect(click.ClickException):
    """A derivative is wrong."""

    exit_code = 3


class TooHeavy(click.ClickException):
    """The package is larger than it may be."""

    exit_code = 4


def _console() -> Console:
    """The console for narration, on stderr."""
    colours = None if os.environ.get("NO_COLOR") else "auto"
    return Console(stderr=True, highlight=False, markup=False, soft_wrap=True, color_system=colours)


def say(text: str, *, style: str = "") -> None:
    """Narrate, on stderr."""
    _console().print(text, style=style)


@contextmanager
def progress(quiet: bool) -> Generator[None]:
    """A progress bar for each stage of a compilation, which counts functions; nothing if stderr is not a terminal."""
    console, stages = _console(), dict[str, TaskID]()
    if quiet or not console.is_terminal or console.color_system is None:  # it moves the cursor
        yield
        return
    columns = TextColumn("{task.description:8}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as shown:
        stages["trace"] = shown.add_task("trace", total=None)

        def step(stage: str, of: int | None) -> None:
            if stage not in stages:
                stages[stage] = shown.add_task(stage, total=of)
            shown.advance(stages[stage])

        with watched(step):
            yield


@contextmanager
def reported(before: str = "") -> Generator[None]:
    """Report errors of the user's program as a message, without a traceback. Errors of ours keep theirs."""
    try:
        yield
    except RoseError as e:
        raise Wrong(f"{before}{type(e).__name__}: {e}") from e
    except SyntaxError as e:
        *where, said = format_exception_only(e)
        raise Wrong(before + said + "".join(where).rstrip()) from e
    except (Exception, SystemExit) as e:
        loc, frames = _raised_at(e), [frame for frame, _ in walk_tb(e.__traceback__)]
        if is_ours(frames[-1].f_code.co_filename) or loc.code.co_filename.startswith(_CLICK):
            raise
        raise Wrong(f"{before}{type(e).__name__}: {e}\n  at {loc}\n{loc.excerpt()}".rstrip()) from e


def _raised_at(error: BaseException) -> Loc:
    """The user's expression that raised an error: the innermost on its traceback."""
    found, tb = here(), error.__traceback__
    while tb is not None:
        if not is_ours(tb.tb_frame.f_code.co_filename):
            found = Loc(tb.tb_frame.f_code, tb.tb_lasti)
        tb = tb.tb_next
    return found


def _path_and_names(target: str) -> tuple[Path, list[str]]:
    """The file, and the names after the last colon. A path can have colons, too."""
    file, _, names = target.rpartition(":")
    if not file or Path(target).is_file():
        file, names = target, ""
    return Path(file), [*dict.fromkeys([name.strip() for name in re.split(r",(?![^<]*>)", names) if name.strip()])]


def _imported(path: Path) -> ModuleType:
    """The module of a file: under its own name, unless another module has that."""
    taken = path.stem in sys.modules or path.stem in sys.stdlib_module_names
    if not path.is_file():
        raise click.UsageError(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(f"<{path.stem}>" if taken else path.stem, path)
    if spec is None or spec.loader is None:
        raise click.UsageError(f"{path} is not a Python file")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent.resolve()))
    with reported(f"{path} cannot be imported: "):
        spec.loader.exec_module(module)
    return module


def _functions(module: ModuleType) -> dict[str, AnyFn]:
    """All @fn and @opaque functions that a module has, by name."""
    return {k: cast("AnyFn", x) for k, x in [*vars(module).items()] if isinstance(x, Fn)}


def load(target: str) -> tuple[Path, dict[str, AnyFn]]:
    """The path and the functions of FILE[:NAME,...]: those that are named, else all that the file itself defines."""
    path, names = _path_and_names(target)
    if path.suffix == ".rose":
        return path, _load_text(path, names)
    return path, _functions_of(path, _imported(path), names)


def sources(path: Path) -> list[str]:
    """The Python files of which a program was loaded: its own, and those that it imported from beside or below it."""
    own, beside = path.resolve(), path.resolve().parent
    files = [Path(file).resolve() for m in [*sys.modules.values()] if (file := getattr(m, "__file__", None))]
    inside = [file for file in files if file.is_relative_to(beside) and "site-packages" not in file.parts]
    found = [file for file in inside if file.is_file()]  # what was loaded by a relative path may be elsewhere
    return [*dict.fromkeys([str(own), *sorted(map(str, found))])]


def named_module(target: str) -> tuple[Path, ModuleType, list[str]]:
    """The path and the module of FILE[:NAME,...], and these names."""
    path, names = _path_and_names(target)
    return path, _imported(path), names


def load_composed(target: str) -> AnyFn | Functional:
    """The function, or the functional, of FILE:NAME."""
    path, names = _path_and_names(target)
    if path.suffix == ".rose" or len(names) != 1:
        return load_one(target)
    module = _imported(path)
    found = vars(module).get(names[0])
    return found if isinstance(found, Functional) else _functions_of(path, module, names)[names[0]]


def _functions_of(path: Path, module: ModuleType, names: list[str]) -> dict[str, AnyFn]:
    """The functions of a module with these names; else all that it defines itself."""
    found = _functions(module)
    if missing := [name for name in names if name not in found]:
        if isinstance(vars(module).get(missing[0]), Functional):
            what = f"{missing[0]} is a functional: name a function that is made by it, as in slope = rose.grad"
            raise click.UsageError(f"{what}({missing[0]})(curve)")
        raise click.UsageError(f"{path} has no @fn function {missing[0]}; it has {', '.join(found) or 'none'}")
    if names:
        return {name: found[name] for name in names}
    imported = {id(f) for m in [*sys.modules.values()] if m is not module for f in _functions(m).values()}
    own = {k: f for k, f in found.items() if id(f) not in imported and not isinstance(f, Opaque)}
    if not own:
        raise Wrong(f"{path} has no @fn function")
    return own


def _load_text(path: Path, names: list[str]) -> dict[str, AnyFn]:
    """The functions of a `.rose` file: those in `names`, else all that can be called from outside."""
    if not path.is_file():
        raise click.UsageError(f"there is no file {path}")
    with reported():
        found = parse_file(path)
        try:
            named = {name: found[name] for name in names}
            for name in [name for name in names if name in found.generics]:
                found.module.instance(name)  # says which types it takes
        except KeyError as e:
            has = ", ".join(found.module.defs) or "none"
            raise click.UsageError(f"{path} has no function {e.args[0]}; it has {has}") from None
    whole = {k: f for k, f in found.items() if k not in found.generics and not isinstance(f, Opaque)}
    own = {k: f for k, f in whole.items() if not any(isinstance(t, Ref) for t in f.types)}
    if not named and not own:
        raise Wrong(f"{path} has no function that can be called from outside")
    return named or own


def load_one(target: str) -> AnyFn:
    """The function of FILE:NAME; a usage error unless there is one."""
    path, fs = load(target)
    if len(fs) != 1:
        raise click.UsageError(f"name one function, as in {path}:{next(iter(fs))}; there are {', '.join(fs)}")
    return next(iter(fs.values()))
