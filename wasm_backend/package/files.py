"""The package of a module: the files that a page, a bundler or a server imports.

`NAME.wasm` is the module. The entry point `index.js` loads it, `inline.js` contains it, and `workerd.js` imports it
where modules come compiled; `index.d.ts` declares the functions. `iife.js` is for pages without modules, `rose-drag.js`
and `animate.js` what pages use beside them, if they are asked for. `NAME.json` has signatures, hashes and sources. A
module with mathematics inside comes with the notices of its authors. A module that not every engine accepts is
`NAME.simd.wasm`, beside `NAME.wasm` for the other engines. `NAME.wasm.map` is the source map of `NAME.wasm`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from gzip import compress
from hashlib import sha256
from typing import Any

from rose.errors import RoseError
from rose.ir import Func

from ..abi.signature import Lowered
from ..libm.link import notice
from .calls import PLAIN, Extras
from .html import html_page
from .javascript import (
    core_file,
    core_text,
    entries,
    iife_file,
    imports_of,
    signature_data,
    source,
    with_forms,
    without_comments,
    worker_file,
)
from .manifest import checked_version, manifest, npm_name, stem, version_of
from .metadata import as_json, encoded, sealed
from .readme import readme
from .source_map import source_map, with_map
from .typescript import checked_global, declarations, in_python


@dataclass(frozen=True, slots=True)
class About:
    """Metadata of a module, written into its package; it does not change the module.

    `docs` has the docstring of each function, `sources` the SHA-256 of each Python file, by name, `certificate` the
    result of checking the derivatives, and `licence` that of the sources (SPDX). A package without a `version` gets one
    of its bytes.
    """

    docs: Mapping[str, str] = field(default_factory=dict[str, str])
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    compiler: str = "rose"
    certificate: Mapping[str, Any] | None = None
    version: str | None = None
    licence: str | None = None


def package_files(
    lowered: Lowered, name: str, about: About = About(), *, inline: bool = False, html: bool = False,
    extras: Extras = PLAIN, iife: str | None = None, drag: bool = False, animate: bool = False,
) -> dict[str, bytes]:  # fmt: skip
    """The files of a package, by name: the same bytes for the same module.

    The `name` is that of npm, and its last part that of the files. With `inline` the module is inside of `index.js`,
    and in no file of its own; `html` adds a page to try it with. The `extras` are `f.map`, Workers and `dispose`.
    `iife` is the name of a global variable, for pages whose scripts are no modules; `drag` and `animate` add what pages
    use beside.
    """
    full, name = name, stem(name)
    version = None if about.version is None else checked_version(about.version)
    _check_functions(lowered, extras)
    imports = imports_of(lowered)
    plain, modules = lowered.plain, {f"{name}.wasm": lowered.wasm}
    if plain is not None:
        modules = {f"{name}.wasm": plain.wasm, f"{name}.simd.wasm": lowered.wasm}
    probe = plain and plain.probe
    data = with_forms(signature_data(lowered, imports), lowered)
    worker = worker_file(data, extras) if extras.workers else None
    texts = {
        **entries(modules, probe, inline=inline, worker=worker),
        **declarations(name, lowered.signatures.values(), imports, about.docs, inline=inline, extras=extras, iife=iife),
        "core.js": core_file(data, npm_name(full), extras),
    }
    if iife is not None:
        made = core_text(data, npm_name(full), extras)
        texts["iife.js"] = iife_file(made, modules, probe, checked_global(iife), worker)
    for file in ["rose-drag"] * drag + ["animate"] * animate:
        texts |= {f"{file}.js": without_comments(source(f"{file}.js")), f"{file}.d.ts": source(f"{file}.d.ts")}
    if html:
        texts[f"{name}.html"] = html_page(lowered, imports, name, about.docs)
    texts["README.md"] = readme(lowered, imports, full, about.docs, [*texts], iife=iife, workers=extras.workers)
    linked, source_maps = _mapped(name, {} if inline else modules, lowered)
    files = {**linked, **{k: encoded(text) for k, text in texts.items()}}
    if lowered.mathematics:
        files["NOTICE"] = notice(lowered.mathematics)
    files |= source_maps
    held = [*files, f"{name}.json"]
    made = manifest(full, version or version_of(files), about.docs, about.licence, held, inline=inline)
    files["package.json"] = as_json(made)
    files[f"{name}.json"] = sealed(_metadata(lowered, imports, name, about, files))
    return files


def _mapped(
    name: str, modules: Mapping[str, bytes], lowered: Lowered
) -> tuple[Mapping[str, bytes], Mapping[str, bytes]]:
    """The modules and their source maps; without the origins of instructions, no map."""
    origins = {f"{name}.wasm": (lowered.plain or lowered).origins, f"{name}.simd.wasm": lowered.origins}
    if not lowered.origins:
        return modules, {}
    linked = {file: with_map(wasm, f"{file}.map") for file, wasm in modules.items()}
    return linked, {f"{file}.map": source_map(file, origins[file]) for file in modules}


def _check_functions(lowered: Lowered, extras: Extras) -> None:
    taken = {"then": "JavaScript would treat the package as a promise"}
    if extras.workers:
        taken["terminate"] = "what ends its Worker is called so"
    if extras.dispose:
        taken["dispose"] = "what drops its memory is called so"
    for name, why in taken.items():
        if name in lowered.signatures:
            raise RoseError(f"a function of a package cannot be called {name}: {why}", None, "give it another name")


def _metadata(
    lowered: Lowered, imports: Sequence[Func], name: str, about: About, files: Mapping[str, bytes]
) -> dict[str, Any]:
    """The `NAME.json`: signatures, sources, compiler, and hashes of all files. No times and no paths."""
    data = with_forms(signature_data(lowered, imports), lowered)
    python = [in_python(s) for s in lowered.signatures.values()]
    return {
        "name": name,
        "compiler": about.compiler,
        "sources": {file: {"sha256": digest} for file, digest in about.sources.items()},
        "functions": [
            {"name": x["name"], "python": said, "doc": about.docs.get(x["name"], ""), **x}
            for x, said in zip(data["exports"], python, strict=True)
        ],
        "imports": data["imports"],
        "files": {file: {"bytes": len(x), "sha256": sha256(x).hexdigest()} for file, x in files.items()},
        "certificate": None if about.certificate is None else dict(about.certificate),
    }


# size


def gzipped(data: bytes) -> int:
    """The size of a file, gzipped, as a server sends it. Another version of zlib may differ by a few bytes."""
    return len(compress(data, mtime=0))


def loaded(files: Mapping[str, bytes]) -> list[str]:
    """The files that a page without a bundler loads: the scripts, and one module, the larger one of two."""
    elsewhere = {"workerd.js", "inline.js", "iife.js"}
    modules = sorted([file for file in files if file.endswith(".wasm")], key=lambda file: len(files[file]))
    return [*modules[-1:], *[file for file in files if file.endswith(".js") and file not in elsewhere]]


def weight(files: Mapping[str, bytes]) -> int:
    """The gzipped size of the files that a page loads."""
    return sum([gzipped(files[file]) for file in loaded(files)])
