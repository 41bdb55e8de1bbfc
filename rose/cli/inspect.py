"""`rose inspect`: the anatomy of a module, by size."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from wasm_backend.binary.inspector import Anatomy, anatomy
from wasm_backend.package.files import gzipped


@click.command("inspect")
@click.argument("module", metavar="MODULE.wasm", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Say it as JSON.")
def inspect_(module: Path, as_json: bool) -> None:
    """Show what a module consists of: sections, imports, exports, memory, functions, and what engines limit."""
    wasm = module.read_bytes()
    try:
        found = anatomy(wasm)
    except ValueError as e:
        raise click.ClickException(f"{module} is not a module that can be read: {e}") from e
    packed = gzipped(wasm)
    if as_json:
        click.echo(json.dumps({**asdict(found), "gzipped": packed}))
    else:
        click.echo("\n".join(_told(str(module), found, packed)))


def _told(name: str, found: Anatomy, packed: int) -> Iterator[str]:
    yield f"{name}: {found.bytes:,} bytes, {packed:,} gzipped"
    yield from _table("sections", [(section, f"{n:,}") for section, n in found.sections])
    yield from _table("imports", found.imports)
    yield from _table("exports", found.exports)
    if found.pages is not None:
        yield from ("", f"memory: {64 * found.pages[0]:,} KiB at first, of which {found.data:,} bytes are given")
    functions = [(f.name, f.type, f"{f.bytes:,} bytes", f"{f.locals:,} locals") for f in found.functions]
    yield from _table("functions", sorted(functions, key=lambda f: -int(f[2].split()[0].replace(",", ""))))
    limits = [(what, f"{n:,}", f"of {most:,}") for what, n, most in found.limits]
    yield from _table("what engines limit", limits)
    yield from ("", f"source map: {found.source_map or 'none'}")


def _table(title: str, rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Rows in columns; cells that begin with a digit are aligned to the right."""
    yield from ("", title if rows else f"{title}: none")
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [x.rjust(n) if x[:1].isdigit() else x.ljust(n) for x, n in zip(row, widths, strict=True)]
        yield ("  " + "  ".join(cells)).rstrip()
