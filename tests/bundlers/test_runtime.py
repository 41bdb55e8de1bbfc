"""The JavaScript that packages bring: its types, and how large it is when a bundler is done with it."""

import gzip
from pathlib import Path

import pytest
from paths import ROOT

import rose
from rose import Real, Vec
from tests.bundlers.tools import TSC, tool

JS = ROOT / "wasm_backend" / "js"
STRICT = "--noEmit --allowJs --checkJs --strict --target es2022 --module esnext --moduleResolution bundler".split()


def test_the_types_of_the_runtime_are_right():
    files = sorted(file.name for file in JS.glob("*.js"))
    assert "rose.js" in files
    tool(TSC("typescript"), *STRICT, "--lib", "es2022,dom,dom.iterable", *files, cwd=JS)


@pytest.mark.parametrize(("most", "params"), [(1_500, [Real, Real]), (1_900, [Real, Vec[3]])])
def test_the_loader_is_small(most: int, params: list[object], tmp_path: Path):
    """All scripts of a page: for functions of numbers, and for others."""
    f = rose.fn(params, Real)(lambda x, y: x)
    rose.compile({"f": f}).save(tmp_path, "made")
    tool("esbuild", "index.js", "--bundle", "--minify", "--format=esm", "--outfile=out.js", cwd=tmp_path)
    assert len(gzip.compress((tmp_path / "out.js").read_bytes(), mtime=0)) <= most
