"""`rose`: the command line. Results go to stdout, narration to stderr.

Exit codes: 0 fine, 1 the user's program is wrong, 2 the command is.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from . import build, derive
from .errors import RoseError
from .forward import full_mask
from .forward import jvp as derive_jvp
from .ir import OPS
from .optimise import optimise
from .text import show
from .trace import Fn, Opaque
from .transpose import transpose
from .types import Real

AnyFn = Fn[..., Any]

err = Console(stderr=True, highlight=False)


class Wrong(click.ClickException):
    """The user's program is wrong: exit code 1."""

    exit_code = 1


@contextmanager
def _reported() -> Iterator[None]:
    """Errors of the user's program, as a message without a traceback."""
    try:
        yield
    except RoseError as e:
        raise Wrong(f"{type(e).__name__}: {e}") from e


def _load(target: str) -> tuple[Path, dict[str, AnyFn]]:
    """The @fn functions of FILE.py, or those named after a colon."""
    file, _, names = target.partition(":")
    path = Path(file)
    if not path.is_file():
        raise click.UsageError(f"there is no file {file}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise click.UsageError(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.parent.resolve()))
    with _reported():
        try:
            spec.loader.exec_module(module)
        except RoseError:
            raise
        except Exception as e:
            raise Wrong(f"{file} cannot be imported: {type(e).__name__}: {e}") from e
    found = {k: f for k, f in vars(module).items() if isinstance(f, Fn)}
    if names:
        wanted = names.split(",")
        for name in wanted:
            if name not in found:
                raise Wrong(f"{file} has no @fn function {name}; it has {', '.join(found) or 'none'}")
        return path, {name: found[name] for name in wanted}
    own = {k: f for k, f in found.items() if f.body.__module__ == path.stem and not isinstance(f, Opaque)}
    if not own:
        raise Wrong(f"{file} has no @fn function")
    return path, own


def _one(target: str) -> AnyFn:
    _, fs = _load(target)
    if len(fs) != 1:
        raise click.UsageError(f"name one function, as in {target}:{next(iter(fs))}; there are {', '.join(fs)}")
    return next(iter(fs.values()))


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="rose")
def main() -> None:
    """Compile Python functions, with their derivatives, to small WebAssembly modules."""


# the derivatives that can be asked for: what is put before the name, and what makes it
_DERIVED: Mapping[str, Callable[[AnyFn], AnyFn]] = {
    "grad": derive.grad, "value_and_grad": derive.value_and_grad, "hessian": derive.hessian, "vjp": derive.pullback,
}  # fmt: skip


@main.command("compile")
@click.argument("target", metavar="FILE.py[:NAME,...]")
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True, help="The directory to make.")
@click.option("--grad", is_flag=True, help="Add grad_NAME, the gradient in the first parameter.")
@click.option("--value-and-grad", is_flag=True, help="Add value_and_grad_NAME.")
@click.option("--hessian", is_flag=True, help="Add hessian_NAME.")
@click.option("--vjp", is_flag=True, help="Add vjp_NAME: from the arguments and a cotangent to value and gradients.")
@click.option("--force", is_flag=True, help="Replace what is there.")
@click.option("--json", "as_json", is_flag=True, help="Say what was written as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
@click.option("-v", "--verbose", is_flag=True, help="Say more.")
def compile_(
    target: str, out: Path, grad: bool, value_and_grad: bool, hessian: bool, vjp: bool,
    force: bool, as_json: bool, quiet: bool, verbose: bool,
) -> None:  # fmt: skip
    """Compile functions to a package for the web: NAME.wasm, NAME.js, NAME.d.ts, package.json.

    \b
    rose compile model.py -o dist/
    rose compile model.py:loss --grad --hessian -o dist/
    """
    path, fs = _load(target)
    asked = {"grad": grad, "value_and_grad": value_and_grad, "hessian": hessian, "vjp": vjp}
    named = dict(fs)
    with _reported():
        for kind, yes in asked.items():
            for name, f in fs.items():
                if yes and (kind == "vjp" or f.result is Real):
                    named[f"{kind}_{name}"] = _DERIVED[kind](f)
                elif yes:
                    err.print(f"{kind} of {name} is left out: it gives a {f.result!r}, not a Real")
        if verbose:
            err.print(f"{path.name}: {', '.join(named)}")
        made = build.compile(named)
        files = made.save(out, name=path.stem, force=force)
    sizes = {str(f): f.stat().st_size for f in files}
    if as_json:
        click.echo(json.dumps({"functions": list(named), "files": sizes}))
    elif not quiet:
        for name, size in sizes.items():
            click.echo(name)
            err.print(f"  {size:,} bytes", style="dim")


@main.command("run")
@click.argument("target", metavar="FILE.py:NAME")
@click.argument("args", nargs=-1, metavar="ARGS-AS-JSON")
def run_(target: str, args: tuple[str, ...]) -> None:
    """Compile and call one function: with one JSON list of all arguments, or one JSON value for each.

    \b
    rose run model.py:f '[2.0, 3.0]'
    rose run model.py:f 2.0 3.0
    """
    f = _one(target)
    try:
        given = [json.loads(a) for a in args]
    except json.JSONDecodeError as e:
        raise click.UsageError(f"the arguments are no JSON: {e}") from e
    if len(given) == 1 and isinstance(given[0], list) and len(given[0]) == len(f.types):  # pyright: ignore
        try:
            result = build.compile(f)(*given[0])  # pyright: ignore[reportUnknownArgumentType]
        except RoseError:
            with _reported():
                result = build.compile(f)(*given)
    else:
        with _reported():
            result = build.compile(f)(*given)
    click.echo(json.dumps(_plain(result)))


def _plain(x: Any) -> Any:
    """A result as JSON has it."""
    if hasattr(x, "tolist"):
        return x.tolist()
    if hasattr(x, "_asdict"):
        return {k: _plain(y) for k, y in x._asdict().items()}
    if hasattr(x, "__dataclass_fields__"):
        return {k: _plain(getattr(x, k)) for k in x.__dataclass_fields__}
    if isinstance(x, dict):
        return {k: _plain(y) for k, y in x.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(x, (list, tuple)):
        return [_plain(y) for y in x]  # pyright: ignore[reportUnknownVariableType]
    return x


@main.command("ir")
@click.argument("target", metavar="FILE.py:NAME")
@click.option("--pass", "stage", type=click.Choice(["trace", "jvp", "transpose", "optimise", "wasm"]), default="trace",
              show_default=True, help="After which pass.")  # fmt: skip
def ir_(target: str, stage: str) -> None:
    """Print the IR of one function, as text: as traced, or after a pass."""
    f = _one(target)
    with _reported():
        click.echo(_stage(f, stage))


def _stage(f: AnyFn, stage: str) -> str:
    func = f.func
    if stage in ("jvp", "transpose"):
        d = derive_jvp(func, full_mask(func))
        if stage == "jvp" or d.flat:
            return show(d.func)
        halves = transpose(d.func)
        return show(halves.fwd) + "\n" + show(halves.bwd)
    if stage == "optimise":
        optimise([func])
        return show(func)
    return build.compile(f).disassemble() if stage == "wasm" else show(func)


@main.command("ops")
def ops_() -> None:
    """List the operations of the language: the table they are defined by."""
    table = Table(box=None, pad_edge=False)
    for heading in ("operation", "derivative", "WebAssembly", "what it is"):
        table.add_column(heading, overflow="fold")
    for op in OPS.values():
        if op.wasm:
            kind = "linear" if op.transpose or op.name == "select" else "yes" if op.jvp else "flat"
            table.add_row(op.name, kind, op.wasm, op.doc)
    Console(width=None if sys.stdout.isatty() else 160, highlight=False, markup=False).print(table)


if __name__ == "__main__":
    main()
