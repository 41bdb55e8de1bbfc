"""The JavaScript of a package: its entry points, its signatures as data, and the files of the runtime that it needs.

The code itself is in `wasm_backend/js`. `core.js` has the signatures; the entry points `index.js`, `workerd.js` and
`inline.js` differ in where the module is. If there are two modules, feature detection (`probe`) chooses one when it is
loaded.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from rose.errors import RoseError
from rose.host.effects import Printer
from rose.ir import Func
from rose.ir.types import Real

from ..abi.layout import describe, plan
from ..abi.signature import FAILED, Lowered, Signature

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
    """The `Signatures` that `js/rose.js` reads, as plain data."""
    exports = [s.describe() for s in lowered.signatures.values()]
    data: dict[str, Any] = {"exports": exports, "imports": [_import_data(f) for f in imports]}
    if prints := [_print_data(f) for f in lowered.prints()]:
        data["prints"] = prints
    if lowered.failures:
        data["failed"] = {"at": FAILED, "said": [why.told() for why in lowered.failures]}
    return data


def _import_data(f: Func) -> dict[str, Any]:
    params = [{"type": describe(p.type), "empty": p.type.empty} for p in f.params]
    return {"name": f.name, "params": params, "result": describe(f.result)}


def _print_data(f: Printer) -> dict[str, Any]:
    arguments = zip(f.types, f.specs, strict=True)
    params = [{"type": describe(t), "empty": t.empty, "spec": spec} for t, spec in arguments]
    return {"name": "print", "params": params, "result": {"kind": "unit"}, "pieces": f.pieces}


# the runtime


def _needs(lowered: Lowered) -> dict[str, list[str]]:
    """The files of the runtime that a module needs besides `rose.js`, with the names that it imports from each."""
    kinds = _kinds(lowered)
    sized, prints = lowered.has_dynamic_sizes(), lowered.prints()
    values = not _numbers_alone(lowered.signatures.values()) or lowered.imports or lowered.failures or sized
    needs = {
        "rose-values.js": ["values"] if values else [],
        "rose-kinds.js": kinds,
        "rose-host.js": ["hosted"] if lowered.imports else [],
        "rose-print.js": ["line"] if prints else [],
        "rose-failed.js": ["guard"] if lowered.failures else [],
        "rose-sizes.js": ["sized"] if sized else [],
    }
    return {file: names for file, names in needs.items() if names}


def _numbers_alone(signatures: Iterable[Signature]) -> bool:
    """True if all functions take 64-bit numbers and return one."""
    return all(x.type is Real and x.at is None for s in signatures for x in (*s.params, s.result))


def _kinds(lowered: Lowered) -> list[str]:
    """The kinds of scalars, besides a Real, in arguments and results of the module and of its host functions."""
    types = [x.type for s in lowered.signatures.values() for x in (*s.params, s.result)]
    types += [t for f in lowered.opaque() for t in (f.result, *[p.type for p in f.params])]
    types += [t for f in lowered.prints() for t in f.types]
    found = {
        leaf.kind.name.removeprefix("complex_") for t in types for leaf in plan(t).leaves() if leaf.kind is not None
    }
    return [name for name in ("single", "index", "bool") if name in found]


def runtime(lowered: Lowered) -> dict[str, str]:
    """The files of the runtime that a module needs, without their comments."""
    return {file: shipped(file) for file in ["rose.js", *_needs(lowered)]}


def shipped(file: str) -> str:
    """A file of the runtime as it is shipped: without its comments."""
    return f"// Made by Rose.\n{without_comments(source(file))}"


def without_comments(text: str) -> str:
    """A JavaScript program without JSDoc and without comments on lines of their own."""
    lines = re.sub(r"/\*\*.*?\*/ ?", "", text, flags=re.DOTALL).splitlines()
    return "".join([f"{line}\n" for line in lines if line.strip() and not line.lstrip().startswith("//")])


def source(file: str) -> str:
    """A file of `wasm_backend/js`."""
    return (_JS / file).read_text(encoding="utf-8")


def core(lowered: Lowered, imports: Iterable[Func], package: str) -> str:
    """`core.js`: the signatures, and the function `entry` that the entry points call."""
    needs = _needs(lowered)
    lines = [f'import {{ {", ".join(names)} }} from "./{file}";\n' for file, names in needs.items()]
    return f"""\
// Made by Rose: the functions of the module, as data.
import {{ entry as of }} from "./rose.js";
{"".join(lines)}
{signatures(lowered, imports, package)}

export const entry = (own) => of(signatures, own);
"""


def signatures(lowered: Lowered, imports: Iterable[Func], package: str | None = None) -> str:
    """The statement `const signatures = …`: the data, and the functions of the runtime that it needs."""
    named = {} if package is None else {"name": package}
    data = json.dumps({**signature_data(lowered, imports), **named}, separators=(",", ":"), ensure_ascii=False)
    needs = _needs(lowered)
    kinds = needs.get("rose-kinds.js", [])
    more = [name for file, names in needs.items() if file != "rose-kinds.js" for name in names]
    more += [f"kinds:{{{','.join(kinds)}}}"] * bool(kinds)
    return f"const signatures = {','.join([data[:-1], *more])}}};"


# entry points


def _entry(own: str, imports: str = "") -> str:
    return f"""\
// Made by Rose. The types and the documentation are in index.d.ts.
{imports}import {{ entry }} from "./core.js";

export const {{ init, initSync, load }} = entry(() => {own});

export default init;
"""


def entries(modules: Mapping[str, bytes], probe: bytes | None, *, inline: bool) -> dict[str, str]:
    """The entry points, for modules by file name: the first is for every engine, a second one for those that accept the
    `probe`. With `inline` there is only `index.js`, which contains the modules."""

    def chosen(expression: Callable[[str], str]) -> str:
        plain, *other = [expression(file) for file in modules]
        return f"{asked(probe)}\n    ? {other[0]}\n    : {plain}" if other and probe is not None else plain

    held = _entry(chosen(lambda file: f'bytes("{base64(modules[file])}")'), 'import { bytes } from "./rose.js";\n')
    if inline:
        return {"index.js": held}
    plain = next(iter(modules))
    url = 'new URL("./{}", import.meta.url)'.format
    return {
        "index.js": _entry(chosen(url)),
        "workerd.js": _entry("module", f'import module from "./{plain}";\n'),
        "inline.js": held,
    }


def asked(probe: bytes) -> str:
    """Feature detection: the expression that is true if the engine accepts the module `probe`."""
    return f"WebAssembly.validate(new Uint8Array({json.dumps([*probe], separators=(',', ':'))}))"


def base64(module: bytes) -> str:
    return b64encode(module).decode("ascii")
