"""The JavaScript of a package: its entry points, its functions, and what they need of the runtime.

The runtime is in `wasm_backend/js`. `core.js` has the functions, as `calls.py` writes them, and of the runtime what
they use; the entry points `index.js`, `workerd.js` and `inline.js` differ in where the module is, and `iife.js` is all
of it in one script. If there are two modules, feature detection (`probe`) chooses one when it is loaded.
"""

from __future__ import annotations

import functools
import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rose.errors import RoseError
from rose.host.effects import Printer
from rose.ir import Func

from ..abi.layout import describe
from ..abi.signature import AT_ONCE, FAILED, Lowered
from .accessors import literal
from .calls import PLAIN, Extras, functions
from .maps import at_once

_JS = Path(__file__).parents[1] / "js"


def imports_of(lowered: Lowered) -> list[Func]:
    """The host functions, one of each name, since a page supplies them by name."""
    found: dict[str, Func] = {}
    for f in lowered.opaque():
        g = found.setdefault(f.name, f)
        if _import_data(f) != _import_data(g):
            raise RoseError(
                f"two opaque functions are called {f.name}, and their types differ",
                None,
                'give one of them another name, with @opaque(name="...")',
            )
    return list(found.values())


# signatures as data


def signature_data(lowered: Lowered, imports: Iterable[Func]) -> dict[str, Any]:
    """The signatures of a module, as plain data."""
    exports = [s.describe() for s in lowered.signatures.values()]
    data: dict[str, Any] = {"exports": exports, "imports": [_import_data(f) for f in imports]}
    if prints := [_print_data(f) for f in lowered.prints()]:
        data["prints"] = prints
    if lowered.failures:
        data["failed"] = {"at": FAILED, "said": [why.told() for why in lowered.failures]}
    return data


def with_forms(data: dict[str, Any], lowered: Lowered) -> dict[str, Any]:
    """The data, with where the forms of functions for several elements take their arguments and give their results."""
    forms = {s.name.removeprefix(AT_ONCE): {"atOnce": at_once(s)} for s in lowered.at_once}
    return {**data, "exports": [{**x, **forms.get(x["name"], {})} for x in data["exports"]]}


def _import_data(f: Func) -> dict[str, Any]:
    params = [{"type": describe(p.type), "empty": p.type.empty} for p in f.params]
    return {"name": f.name, "params": params, "result": describe(f.result)}


def _print_data(f: Printer) -> dict[str, Any]:
    arguments = zip(f.types, f.specs, strict=True)
    params = [{"type": describe(t), "empty": t.empty, "spec": spec} for t, spec in arguments]
    return {"name": "print", "params": params, "result": {"kind": "unit"}, "pieces": f.pieces}


# the runtime


def core_of(data: Mapping[str, Any], roots: Sequence[str], extras: Extras = PLAIN) -> str:
    """The functions of a module whose signatures are these, behind what they and the `roots` need of the runtime."""
    text, needed = functions(data, extras)
    return f"{runtime([*roots, *needed])}{text}"


_FILES = (
    "rose.js", "rose-values.js", "rose-kinds.js", "rose-map.js", "rose-host.js", "rose-print.js", "rose-failed.js",
    "rose-dispose.js", "rose-thread.js", "rose-pool.js", "rose-remote.js", "rose-worker.js",
)  # fmt: skip
_STATEMENT = re.compile(r"(?:export )?(?:const|class) (\w+)[^;]")


@functools.cache
def _statements() -> Mapping[str, str]:
    """The statements of the runtime, in order, by the name that each defines."""
    found: dict[str, str] = {}
    for file in _FILES:
        name = ""
        for line in without_comments(source(file)).splitlines():
            if line.startswith("import "):
                continue
            if begins := _STATEMENT.match(line):
                name = begins[1]
                assert name not in found, f"two statements of the runtime define {name}"
                found[name] = ""
            found[name] += f"{line.removeprefix('export ').lstrip()}\n"
    return found


def runtime(roots: Iterable[str]) -> str:
    """What these functions need of the runtime, without comments."""
    statements, needed, todo = _statements(), set[str](), [*roots]
    while todo:
        name = todo.pop()
        if name in statements and name not in needed:
            needed.add(name)
            todo += re.findall(r"\w+", re.sub('"[^"\n]*"', "", statements[name]))
    return "".join([text for name, text in statements.items() if name in needed])


def without_comments(text: str) -> str:
    """A JavaScript program without JSDoc and without comments on lines of their own."""
    lines = re.sub(r"/\*\*.*?\*/ ?", "", text, flags=re.DOTALL).splitlines()
    return "".join([f"{line}\n" for line in lines if line.strip() and not line.lstrip().startswith("//")])


def source(file: str) -> str:
    """A file of `wasm_backend/js`."""
    return (_JS / file).read_text(encoding="utf-8")


def core_text(data: Mapping[str, Any], package: str, extras: Extras = PLAIN) -> tuple[str, str]:
    """The functions with what they need, and the function that an entry point calls, as an expression."""
    roots = ["remotely", *["pooled"] * extras.maps] if extras.workers else []
    core = core_of(data, ["loader", "bytes", *roots], extras)
    entry = f"(own) => loader(functions, own, {literal(package)})"
    if extras.workers:
        entry = _with_workers(data, package, extras)
    return core, entry


def core_file(data: Mapping[str, Any], package: str, extras: Extras = PLAIN) -> str:
    """`core.js`: the functions, and the function `entry` that the entry points call."""
    core, entry = core_text(data, package, extras)
    return f"""\
// Made by Rose: the functions of the module, and what loads it.
{core}export {{ bytes }};
export const entry = {entry};
"""


def iife_file(
    made: tuple[str, str], modules: Mapping[str, bytes], probe: bytes | None, name: str, worker: str | None = None
) -> str:
    """`iife.js`: all in one script that is no module, and makes one global variable."""
    core, entry = made
    more = "" if worker is None else f", {literal(worker)}"
    return f"""\
// Made by Rose, for a script that is no module. The types are in iife.d.ts.
var {name} = (() => {{
"use strict";
{core}return ({entry})(() => {_chosen(modules, probe)}{more});
}})();
"""


def _with_workers(data: Mapping[str, Any], package: str, extras: Extras) -> str:
    """The function `entry` of a package that has `remote`."""
    all, forms = [[x["name"], len(x["params"])] for x in data["exports"]], ["unchecked", *["map"] * extras.maps]
    bound, pool = "functions", ""
    if extras.maps:
        pool = "  const pool = pooled(start, base);\n"
        bound = "(module, page) => functions(module, page, pool)"
    return f"""(own, start, base) => {{
{pool}  const made = loader({bound}, own, {literal(package)});
  return {{ ...made, remote: remotely({literal(all)}, {literal(forms)}, made.load, start, base) }};
}}"""


def worker_file(data: Mapping[str, Any], extras: Extras) -> str:
    """`worker.js`: the functions, as what a Worker calls for the page. It imports nothing."""
    core = core_of(data, ["serve", *["mapping"] * extras.maps], extras._replace(dispose=False))
    return f"// Made by Rose: what runs in a Worker.\n{core}serve(functions{', mapping' * extras.maps});\n"


# entry points

# bundlers look for these words
_STARTED = ', () => new Worker(new URL("./worker.js", import.meta.url), { type: "module" }), import.meta.url'


def _entry(own: str, module: str = "", names: str = "entry", worker: str | None = None) -> str:
    remote, worker = ("", "") if worker is None else (", remote", worker)
    return f"""\
// Made by Rose. The types and the documentation are in index.d.ts.
{module}import {{ {names} }} from "./core.js";

export const {{ init, initSync, load{remote} }} = entry(() => {own}{worker});

export default init;
"""


def entries(
    modules: Mapping[str, bytes], probe: bytes | None, *, inline: bool, worker: str | None = None
) -> dict[str, str]:
    """The entry points, for modules by file name: the first is for every engine, a second one for those that accept the
    `probe`. With `inline` there is only `index.js`, which contains the modules, and the script of a `worker`."""
    started, inside, none = None, None, None
    if worker is not None:
        started, inside, none = _STARTED, f", {literal(worker)}", ""
    held = _entry(_chosen(modules, probe), names="bytes, entry", worker=inside)
    if inline:
        return {"index.js": held}
    plain = next(iter(modules))
    url = 'new URL("./{}", import.meta.url)'.format
    return {
        "index.js": _entry(_chosen(modules, probe, url), worker=started),
        "workerd.js": _entry("module", f'import module from "./{plain}";\n', worker=none),
        "inline.js": held,
        **({} if worker is None else {"worker.js": worker}),
    }


def _chosen(modules: Mapping[str, bytes], probe: bytes | None, of: Callable[[str], str] | None = None) -> str:
    """The expression of the module, which is what `of` says of its file, or else its bytes."""
    of = of or (lambda file: f'bytes("{base64(modules[file])}")')
    plain, *other = map(of, modules)
    return f"{asked(probe)}\n    ? {other[0]}\n    : {plain}" if other and probe is not None else plain


def asked(probe: bytes) -> str:
    """Feature detection: the expression that is true if the engine accepts the module `probe`."""
    return f"WebAssembly.validate(new Uint8Array({json.dumps([*probe], separators=(',', ':'))}))"


def base64(module: bytes) -> str:
    return b64encode(module).decode("ascii")
