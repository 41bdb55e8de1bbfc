"""What `rose serve` sends: compressed files, Markdown as pages, and what a page needs next."""

import gzip
from pathlib import Path

import pytest

import rose
from rose import Real
from rose.cli.answers import compressed, page_of, preloads


def test_texts_and_modules_are_compressed_if_it_is_worth_it():
    text = b"const x = 1;\n" * 100
    for name in ("a.js", "b.html", "c.WASM", "d.d.ts", "e.wasm.map"):
        packed = compressed(name, text)
        assert packed is not None and len(packed) < 200 and gzip.decompress(packed) == text
    assert compressed("a.png", text) is compressed("a.js", b"short") is None


def test_markdown_is_a_page():
    page = page_of("# A <b>\n\n| a | b |\n|---|---|\n| `1` | 2 |\n\n<script>x</script>\n", 'n"<')
    assert "<h1>A &lt;b&gt;</h1>" in page and "<td><code>1</code></td>" in page
    assert "<script" not in page and "<title>n&quot;&lt;</title>" in page
    assert "<style>" in page and "<style>" not in page_of("", "", styled=False)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A page that uses a package."""
    rose.compile({"f": rose.fn([Real], Real)(lambda x: x * x)}).save(tmp_path / "model")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "index.html").write_text('<script type="module" src="page.js"></script><script src="old.js">')
    (tmp_path / "sub" / "page.js").write_text('import init from "../model/index.js";\nimport "./none.js";\n')
    return tmp_path


def test_what_a_page_needs_next(site: Path):
    assert preloads(site / "sub" / "index.html", site).split(", ") == [
        "</sub/page.js>; rel=modulepreload", "</model/index.js>; rel=modulepreload",
        "</model/core.js>; rel=modulepreload", "</model/f.wasm>; rel=preload; as=fetch; crossorigin",
    ]  # fmt: skip


def test_what_is_not_served_is_not_named(site: Path):
    (site / "a.html").write_text('<script type=module>import "../out.js"; import "./.hidden.js";</script>')
    (site / ".hidden.js").write_text("")
    (site.parent / "out.js").write_text("")
    assert preloads(site / "a.html", site) == ""
    assert preloads(site / "sub" / "index.html", site / "sub") == "</page.js>; rel=modulepreload"
