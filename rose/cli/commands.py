"""The commands of `rose`: `compile`, `run`, `ir`, `check`, `ops`; and `main`, the group of all."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from time import perf_counter
from typing import Any

import click

from wasm_backend.lower import lower
from wasm_backend.package.files import gzipped, loaded, weight
from wasm_backend.package.manifest import BUNDLERS
from wasm_backend.package.write import write_files

from .. import build
from ..autodiff.erase_tangents import untype
from ..autodiff.jvp import full_mask
from ..autodiff.jvp import jvp as derive_jvp
from ..autodiff.transpose import transpose
from ..differentiation import gradients, jacobians
from ..differentiation.sparse.matrix import coordinates
from ..errors import NotDifferentiable, RoseError
from ..frontend.any_size import AnySize, fixed
from ..frontend.function import AnyFn
from ..frontend.vocabulary import VOCABULARY
from ..functional import printing
from ..functional.functionals import Functional
from ..host.marshal import plain
from ..ir import OPS, Func
from ..ir.ops import select
from ..ir.progress import timed
from ..ir.text.printer import show
from ..ir.types import single
from ..optimise.instruments import asked, instrumented
from ..optimise.pipeline import BEFORE_DERIVATION, NAMES, PASSES, Instruments, optimised
from ..testing import examine
from ..version import VERSION
from . import doctor, graph, inspect, new, serve
from .certificate import WrongDerivative, certify
from .jax_programs import load_jax
from .programs import Incorrect, Refused, TooHeavy, load, load_composed, load_one, progress, reported, say, sources


def _version(context: click.Context, _: click.Parameter, yes: bool) -> None:
    if yes:
        click.echo(f"rose {VERSION}")
        context.exit()


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
def main() -> None:
    """Compile Python functions, with their derivatives, to small WebAssembly modules."""


_dtype = click.option("--dtype", type=click.Choice(build.DTYPES), default="f64", help="The precision of every number.",
                      show_default=True)  # fmt: skip

_simd = click.option("--simd", type=click.Choice(["true", "relaxed"]), metavar="[=relaxed]",
                     help="Compute iterations of loops at once; relaxed: fuse products and sums.")  # fmt: skip


_finite = click.option("--finite", is_flag=True,
                       help="No number is infinite or nan: leave out products and sums with 0.0.")  # fmt: skip


class _Compile(click.Command):
    """Accepts `--simd` without a value, too."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, ["--simd=true" if a == "--simd" else a for a in args])


def bytes_of(text: str) -> int:
    """The number of bytes of a size such as 10k, or 10000."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?(k|m)?b?", text.lower())
    if found is None:
        raise click.BadParameter(f"{text} is not a size: write 10k, or 10000")
    return round(float(found[1]) * {None: 1, "k": 1000, "m": 1_000_000}[found[2]])


_size = click.option("--size", "sizes", multiple=True, metavar="NAME=N", help="What a rose.dim is; again for others.")

# the derivatives that can be asked for: the prefix of the name, and the transform
_DERIVED: Mapping[str, Callable[[AnyFn], AnyFn]] = {
    "grad": gradients.grad, "value_and_grad": gradients.value_and_grad, "hessian": lambda f: _hessian(f),
    "vjp": gradients.pullback,
}  # fmt: skip


@main.command("compile", cls=_Compile)
@click.argument("target", metavar="FILE[:NAME,...]")
@click.option("-o", "--out", required=True, metavar="DIR", help="The directory to make.")
@click.option(
    "--jax",
    "examples",
    metavar="EXAMPLES",
    help="The functions are JAX's: examples of their arguments, such as 'params, f64[10, 3], f64'.",
)
@click.option("--name", help="The name of the package, with a scope or without: @me/line. Otherwise that of the file.")
@click.option("--version", help="Its version, such as 1.2.0. Otherwise 0.0.0 with a hash of its files.")
@click.option("--grad", is_flag=True, help="Add grad_NAME, the gradient in the first parameter.")
@click.option("--value-and-grad", is_flag=True, help="Add value_and_grad_NAME.")
@click.option("--hessian", is_flag=True, help="Add hessian_NAME.")
@click.option("--vjp", is_flag=True, help="Add vjp_NAME: from the arguments and a cotangent to value and gradients.")
@_size
@click.option("--dynamic", is_flag=True, help="Make one module for every size of a rose.dim.")
@_dtype
@_simd
@_finite
@click.option("--map", "maps", is_flag=True, help="Add f.map, which calls f for each row of flat arrays.")
@click.option("--workers", is_flag=True, help="Add remote(), the functions in a Worker; and Workers to f.map.")
@click.option("--dispose", is_flag=True, help="Add dispose(), which drops the memory of the functions.")
@click.option("--inline", is_flag=True, help="Put the module into index.js, and write no .wasm.")
@click.option("--bundler", type=click.Choice([*BUNDLERS]), help="What takes it: --inline for those that need it.")
@click.option("--iife", metavar="GLOBAL", help="Add iife.js, a script that is no module, and makes a global variable.")
@click.option("--drag", is_flag=True, help="Add rose-drag.js, the element <rose-drag> for rose.lib.dragger.")
@click.option("--animate", is_flag=True, help="Add animate.js, which plays a simulation.")
@click.option("--html", is_flag=True, help="Add NAME.html: all in one page, with a form for each function.")
@click.option("--strip", is_flag=True, help="Leave out the source map, and the names of functions in the module.")
@click.option("--max-gz", type=bytes_of, metavar="SIZE", help="Fail if a page loads more, gzipped: 10k, or 10000.")
@click.option("--no-check", is_flag=True, help="Do not check the derivatives.")
@click.option("--force", is_flag=True, help="Replace the files of another package, if they were not edited.")
@click.option("--json", "as_json", is_flag=True, help="Say what was written as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
@click.option("-v", "--verbose", is_flag=True, help="Say more.")
def compile_(
    target: str, out: str, examples: str | None, name: str | None, version: str | None,
    grad: bool, value_and_grad: bool, hessian: bool, vjp: bool,
    sizes: tuple[str, ...], dynamic: bool, dtype: str, simd: str | None, finite: bool, maps: bool, workers: bool,
    dispose: bool, inline: bool, bundler: str | None, iife: str | None, drag: bool, animate: bool,
    html: bool, strip: bool, max_gz: int | None, no_check: bool, force: bool, as_json: bool, quiet: bool, verbose: bool,
) -> None:  # fmt: skip
    """Compile functions to a package for the web: NAME.wasm, index.js, index.d.ts, package.json, and what they need.

    \b
    rose compile model.py -o dist/
    rose compile model.py:loss --grad --hessian -o dist/
    rose compile model.py -o dist/ --max-gz 10k --html
    rose compile model.py:loss --jax "params, f64[10, 3]" --grad -o dist/
    """
    path, every = load(target) if examples is None else load_jax(target, examples)
    fs = _of_sizes(every, sizes, dynamic=dynamic)
    asked = {"grad": grad, "value_and_grad": value_and_grad, "hessian": hessian, "vjp": vjp}
    named = dict(fs)
    for kind, yes in asked.items():
        for key, f in _derivatives(kind, fs, quiet) if yes else ():
            if key in named:
                raise click.UsageError(f"there would be two functions called {key}: {path} has one")
            named[key] = f
    with reported(), progress(quiet):
        made = build.compile(named, dtype=dtype, simd=simd == "true" or simd or False, finite=finite)
        certificate = None if no_check else _certified(every if dynamic else fs, of_gradients=hessian)
    if verbose:
        for key, f in named.items():
            say(f"{key}: {f!r}")
    try:
        name = re.sub(r"^\W|[^\w.-]", "_", path.stem) if name is None else name
        files = made.files(
            name, version=version, inline=inline or BUNDLERS.get(bundler or "", False), html=html, strip=strip,
            map=maps, workers=workers, dispose=dispose, iife=iife, drag=drag, animate=animate, certificate=certificate,
        )  # fmt: skip
        _weigh(files, max_gz)
        paths = write_files(files, out, force=force)
    except RoseError as e:
        raise Refused(str(e)) from e
    if as_json:
        sizes_ = {str(at): len(x) for at, x in zip(paths, files.values(), strict=True)}
        told = {"functions": list(named), "files": sizes_, "gzipped": weight(files), "sources": sources(path)}
        click.echo(json.dumps(told))
    elif not quiet:
        for at, x in zip(paths, files.values(), strict=True):
            click.echo(at)
            say(f"  {len(x):,} bytes, {gzipped(x):,} gzipped", style="dim")
        say(f"a page loads {weight(files):,} bytes, gzipped")


def _certified(fs: Mapping[str, AnyFn], *, of_gradients: bool) -> dict[str, Any]:
    """The certificate of the derivatives of functions; with `of_gradients`, of those of their gradients, too."""
    more = _derivatives("grad", fs, quiet=True) if of_gradients else ()
    try:
        return certify({**fs, **dict(more)})
    except WrongDerivative as e:
        raise Incorrect(f"nothing is written, as a derivative is wrong\n{e}") from e


def _weigh(files: Mapping[str, bytes], most: int | None) -> None:
    """Refuse a package of which a page loads more than `most` bytes, gzipped."""
    if most is not None and weight(files) > most:
        each = "".join([f"\n  {file}: {gzipped(x):,}" for file, x in files.items() if file in loaded(files)])
        raise TooHeavy(f"a page loads {weight(files):,} bytes, gzipped, and may load {most:,}{each}")


def _sizes(sizes: Sequence[str]) -> dict[str, int]:
    """The values of `--size n=10`, by name."""
    given: dict[str, int] = {}
    for text in sizes:
        name, _, size = text.partition("=")
        if not size.isdecimal():
            raise click.UsageError(f"--size {text}: write --size n=10")
        given[name] = int(size)
    return given


def _of_sizes(fs: Mapping[str, AnyFn], sizes: Sequence[str], *, dynamic: bool = False) -> dict[str, AnyFn]:
    """The functions `fs`, those of any size at the given `sizes`; with `dynamic` the other sizes stay symbols."""
    try:
        return fixed(fs, _sizes(sizes), dynamic=dynamic)
    except RoseError as e:
        hint = e.hint if dynamic else "write --size n=10, once for each size; or --dynamic"
        raise click.UsageError(f"{e.message}\n  hint: {hint}") from e


def _hessian(f: AnyFn) -> AnyFn:
    """The Hessian of a function to a number: of others it is seldom wanted."""
    gradients.grad(f)
    return jacobians.hessian(f)


def _derivatives(kind: str, fs: Mapping[str, AnyFn], quiet: bool) -> Iterator[tuple[str, AnyFn]]:
    """The derivative `kind` of each function that has one, with its name."""
    for name, f in fs.items():
        try:
            yield f"{kind}_{name}", _DERIVED[kind](f)
        except NotDifferentiable as e:
            if not quiet:
                say(f"{kind}_{name} is left out: {e.message}")


@main.command("run", context_settings={"ignore_unknown_options": True})  # such as -2
@click.argument("target", metavar="FILE:NAME")
@click.argument("args", nargs=-1, metavar="ARGS-AS-JSON")
@_dtype
def run_(target: str, args: tuple[str, ...], dtype: str) -> None:
    """Compile and call one function: with one JSON list of all arguments, or one JSON value for each.

    \b
    rose run model.py:f '[2.0, 3.0]'
    rose run model.py:f 2.0 3.0
    """
    f = load_one(target)
    given: list[Any] = []
    for a in args:
        try:
            given.append(json.loads(a))
        except (json.JSONDecodeError, RecursionError) as e:
            what = a if len(a) <= 60 else f"{a[:57]}..."
            raise click.UsageError(f"the argument {what} is not JSON: {e}") from e
    f, values = _arguments(f, given, dtype)
    with reported():
        result = build.compile(f, dtype=dtype)(*values)
    click.echo(json.dumps(_json_data(result)))


def _arguments(f: AnyFn, given: list[Any], dtype: str) -> tuple[AnyFn, list[Any]]:
    """The function, at the sizes of its arguments, and one argument for each parameter.

    `given` has the arguments, or one list of them all.
    """
    ways: list[list[Any]] = [given]
    if len(given) == 1 and isinstance(given[0], list) and (len(f.types) != 1 or len(given[0]) == 1):  # pyright: ignore
        ways.insert(0, given[0])  # pyright: ignore[reportUnknownArgumentType]
    wrong: list[RoseError] = []
    for way in ways:
        try:
            args = f.bind(way, {})
            g = f.fitting(args) if isinstance(f, AnySize) else f
            for x, t, name in zip(args, g.types, f.names, strict=True):
                plain(x, t if dtype == "f64" else single(t), (name,))
            return g, args
        except RoseError as e:
            wrong.append(e)
    raise click.UsageError(f"{wrong[0].message}\n  hint: {wrong[0].hint}")


def _json_data(x: Any) -> Any:
    """A result as JSON data."""
    if hasattr(x, "tocoo"):
        return coordinates(x)
    if hasattr(x, "tolist"):
        return x.tolist()
    if hasattr(x, "_asdict"):
        return {k: _json_data(y) for k, y in x._asdict().items()}
    if hasattr(x, "__dataclass_fields__"):
        return {k: _json_data(getattr(x, k)) for k in x.__dataclass_fields__}
    if isinstance(x, dict):
        return {k: _json_data(y) for k, y in x.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(x, (list, tuple)):
        return [_json_data(y) for y in x]  # pyright: ignore[reportUnknownVariableType]
    return x


_OUTSIDE = ("trace", "jvp", "transpose", "wasm")  # the stages before and after the optimiser
_IN_ORDER = (
    "load",
    "trace",
    *[s.name for s in BEFORE_DERIVATION],
    "move-invariants",
    "stage",
    "distribute",
    "jvp",
    "vector-mode",
    "unzip",
    "sweep",
    "linearize",
    "transpose",
    *PASSES,
    "lower",
    "encode",
)  # as they are listed


@main.command("ir")
@click.argument("target", metavar="FILE:NAME")
@click.option("--pass", "stage", metavar="PASS",
              type=click.Choice(["compose", *_OUTSIDE[:3], "optimise", "wasm", *PASSES]),
              help=f"After: compose trace jvp transpose optimise wasm; of the optimiser, {' '.join(PASSES)}."
)  # fmt: skip
@click.option("--dot", "form", flag_value="dot", help="As a graph, in the language of Graphviz.")
@click.option("--svg", "form", flag_value="svg", help="As a picture of the graph.")
@click.option("--after-each", "form", flag_value="each", help="After each pass that changed it, from the trace on.")
@click.option("--time-passes", "form", flag_value="times", help="The time of each pass, from the trace to the module.")
@click.option(
    "--without", multiple=True, type=click.Choice(NAMES), metavar="PASS", help="Leave it out; again for others."
)
@_size
def ir_(target: str, stage: str | None, form: str | None, without: tuple[str, ...], sizes: tuple[str, ...]) -> None:
    """Print the IR of one function: as traced, or after a pass; as text, or as a graph.

    Of a functional, and after the pass compose, it is the graph of the operators on functions.

    \b
    rose ir model.py:f
    rose ir model.py:grad_f --after-each
    rose ir model.py:grad_f --pass fuse-loops --without inline
    """
    parts, started = list[str](), perf_counter()
    by = Instruments(_before(stage, without))
    if form == "each":
        by.tell = lambda name, g: parts.append(f"# {g.name} {_after(name)}\n\n{show(g, callees=False)}")
    with instrumented(by):
        with timed("load"):
            given = load_composed(target)
        if stage == "compose" or isinstance(given, Functional):
            return _composed(given, stage or "compose", form)
        (f,) = _of_sizes({"": given}, sizes).values()
        shown = _ir(f, stage, form, without)
    if form == "times":
        shown = _times(by.seconds, perf_counter() - started)
    click.echo("\n\n".join(parts) if form == "each" else shown)


def _before(stage: str | None, without: Sequence[str]) -> Sequence[str]:
    """What is left out before and while something is derived, if one of the passes there is the last."""
    names = [s.name for s in BEFORE_DERIVATION]
    return (*without, *PASSES[PASSES.index(stage) + 1 :]) if stage in names else without


def _after(name: str) -> str:
    return "as traced" if name == "trace" else f"after {name}"


def _ir(f: AnyFn, stage: str | None, form: str | None, without: Sequence[str]) -> str:
    """A function after a stage, as text or as a graph."""
    of_optimiser = bool(without) or form in ("each", "times")
    stage = stage or ("optimise" if of_optimiser else "trace")
    if form in ("dot", "svg") and stage == "wasm":
        raise click.UsageError("WebAssembly is not a graph: ask for another pass")
    if of_optimiser and stage in _OUTSIDE:
        raise click.UsageError(
            f"{stage} is not a pass of the optimiser: ask for --pass optimise, or {', '.join(PASSES)}"
        )
    with reported():
        if stage in _OUTSIDE:
            return build.compile(f).disassemble() if stage == "wasm" else _drawn(_derived(f, stage), form)
        with build.no_collector():
            made = _optimised(untype(f.func), stage, without)
            if form == "times" and stage == "optimise":
                lower({"": made})
    return "" if form in ("each", "times") else _drawn([made], form)


def _drawn(funcs: Sequence[Func], form: str | None) -> str:
    """The functions as text, or as a graph."""
    if form is None:
        return "\n\n".join(map(show, funcs))
    return _picture(graph.Graph(funcs), form)


def _picture(drawing: graph.Drawing, form: str) -> str:
    return graph.dot(drawing) if form == "dot" else graph.svg(drawing)


def _composed(f: AnyFn | Functional, stage: str, form: str | None) -> None:
    """Print the operators of a functional, or of what one gave."""
    if stage != "compose" or form in ("each", "times"):
        raise click.UsageError(f"{f.name} is composed, and not traced yet: ask for passes of a function that it gives")
    with reported():
        if form is None:
            click.echo(printing.show(f))
        else:
            click.echo(_picture(graph.Operators(f), form))


def _derived(f: AnyFn, stage: str) -> list[Func]:
    """A function as traced, or its derivative."""
    if stage == "trace":
        return [f.func]
    d = derive_jvp(f.func, full_mask(f.func), f.loc)
    if stage == "jvp" or d.flat:
        return [d.func]
    halves = transpose(d.func)
    return [halves.fwd, halves.bwd]


def _optimised(func: Func, last: str, without: Sequence[str]) -> Func:
    """A function after the pass `last`."""
    later = PASSES[PASSES.index(last) + 1 :] if last in PASSES else ()
    by = asked()
    assert by is not None
    return optimised({"": func}, asked=replace(by, without=(*without, *later)))[""]


def _times(seconds: Mapping[str, float], total: float) -> str:
    """The time of each stage; what belongs to none is `other`."""
    found = {name: seconds[name] for name in dict.fromkeys([*_IN_ORDER, *seconds]) if name in seconds}
    found["other"] = total - sum(seconds.values())
    rows = [(name, f"{1000 * s:.2f}", f"{s / total:.0%}") for name, s in found.items()]
    return _table([("pass", "ms", "share"), *rows])


@main.command("check")
@click.argument("target", metavar="FILE[:NAME,...]")
@click.option("--points", type=click.IntRange(min=1), default=10, help="How many points each.", show_default=True)
@click.option("--seed", type=int, default=0, help="Another seed has other points.", show_default=True)
@_size
@click.option("--json", "as_json", is_flag=True, help="Say what was found as JSON.")
def check_(target: str, points: int, seed: int, sizes: tuple[str, ...], as_json: bool) -> None:
    """Check the derivatives of functions at random points: both modes, differences, and the module's bits.

    \b
    rose check model.py
    rose check model.py:loss --points 100

    Kinks are reported, and are not wrong. A size is 3, unless --size says another. The exit code is 3 if a derivative
    is wrong.
    """
    _, fs = load(target)
    given = _sizes(sizes)
    known = {d.text for f in fs.values() if isinstance(f, AnySize) for d in f.dims}
    if extra := [k for k in given if k not in known]:
        raise click.UsageError(f"--size {extra[0]}: no function has a size of that name")
    with reported():
        reports = {name: replace(examine(f, points, seed, given), name=name) for name, f in fs.items()}
    if as_json:
        click.echo(json.dumps({name: {"ok": r.ok, **asdict(r)} for name, r in reports.items()}))
    else:
        click.echo("\n".join([str(r) for r in reports.values()]))
    if not all(r.ok for r in reports.values()):
        raise SystemExit(3)


@main.command("ops")
def ops_() -> None:
    """List the operations of the language, by the table that defines them, and the names of arrays, with NumPy's."""
    rows = [("operation", "derivative", "WebAssembly", "what it is")]
    for op in sorted(OPS.values(), key=lambda op: not op.wasm):
        kind = "linear" if op.transpose or op is select else "yes" if op.jvp else "flat"
        rows.append((op.name, kind if op.wasm else "structure", op.wasm, op.doc))
    names = [("of arrays", "in NumPy", "method", "what it is")]
    for row in VOCABULARY:
        names.append((row.name, " ".join(row.numpys), "." + row.name if row.method else "", row.doc))
    click.echo(f"{_table(rows)}\n\n{_table(names)}")


def _table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(["  ".join([x.ljust(n) for x, n in zip(row, widths, strict=True)]).rstrip() for row in rows])


for command in (inspect.inspect_, serve.serve_, doctor.doctor_, new.new_):
    main.add_command(command)
