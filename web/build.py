"""Makes the demo site: `python web/build.py` compiles the examples, and writes the pages into web/dist.

What comes out is static: any server can serve it, and any folder of it. The first page is at the top, each other one
in the folder of its name, with its package beside it; `shared` has what they share.
"""

from __future__ import annotations

import html
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory

import click
import python
from pages import HOME, PAGES, Model, Page
from pictures import PICTURES
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

import rose
from rose.cli.answers import page_of
from rose.cli.programs import load
from wasm_backend.package.files import gzipped, loaded
from wasm_backend.package.javascript import without_comments

WEB = Path(__file__).parent
ROOT = WEB.parent
CSP = {
    "default-src": "'none'",
    "script-src": "'self' 'wasm-unsafe-eval'",
    "style-src": "'self'",
    "connect-src": "'self'",
    "img-src": "'self' data:",
    "worker-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
}
DIST = WEB / "dist"
MARKER = ".site"  # a directory that has it is ours
LIMIT = 30_000  # bytes of a page, gzipped
STILL = "Without JavaScript, the picture stands still."
WITHOUT = (
    "Your browser runs no JavaScript, which this page is about: here one edits a program, and its picture follows."
)


@click.command()
@click.option("-o", "--out", type=click.Path(path_type=Path), default=DIST, help="Where to.")
@click.option("--only", multiple=True, metavar="SLUG", help="Only this page; again for others.")
def main(out: Path, only: tuple[str, ...]) -> None:
    """Make the demo site."""
    claim(out)
    (out / "shared").mkdir(exist_ok=True)
    for file in (WEB / "shared").iterdir():
        copy(file, out / "shared")
    over: list[str] = []
    for page in (HOME, *PAGES):
        if only and page.slug not in only:
            continue
        weight = build(page, out)
        click.echo(f"{page.slug}: {weight:,} bytes gzipped")
        over += [page.slug] * (weight > LIMIT)
    if over:
        raise click.ClickException(f"over {LIMIT:,} bytes: {', '.join(over)}")


def claim(out: Path) -> None:
    """Make the directory of the site, or take one that is empty or has a site: what is there is replaced."""
    if out != DIST and out.exists() and any(out.iterdir()) and not (out / MARKER).is_file():
        raise click.ClickException(f"{out} has files that are not of the site: choose another directory")
    out.mkdir(parents=True, exist_ok=True)
    (out / MARKER).touch()


def build(page: Page, out: Path) -> int:
    """Write one page, and give its weight: of all that it can load, gzipped."""
    to = out if page is HOME else out / page.slug
    to.mkdir(parents=True, exist_ok=True)
    elements = [ROOT / "wasm_backend" / "js" / file for file in page.elements]
    for file in [*sorted((WEB / page.slug).iterdir()), *elements]:
        if file.is_file() and file.name != "body.html" and file.suffix != ".py":
            copy(file, to)
    if page.python:
        python.place(to / "python")
    packages = [compiled(model, to / model.folder) for model in page.models]
    (to / "index.html").write_text(document(page, packages))
    used = [file for file in to.iterdir() if file.is_file()]
    for package in packages:
        files = {file.name: file for file in package}
        used += [files[name] for name in loaded({name: file.read_bytes() for name, file in files.items()})]
    named = "".join([file.read_text() for file in used if file.suffix in (".html", ".css", ".js")])
    shared = [file for file in (out / "shared").iterdir() if file.name != "noscript.css"]  # which comes without scripts
    used += [file for file in shared if f"shared/{file.name}" in named]
    return sum([gzipped(file.read_bytes()) for file in used])


def copy(file: Path, to: Path) -> None:
    """Copy a file into a folder: JavaScript and style sheets without comments and indentation."""
    if file.suffix in (".js", ".css"):
        text = file.read_text()
        text = without_comments(text) if file.suffix == ".js" else re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        (to / file.name).write_text(re.sub(r"\n\s+", "\n", text).lstrip())
    else:
        shutil.copy2(file, to)


def compiled(model: Model, to: Path) -> list[Path]:
    """The files of a package, as the command line makes them, and its README as a page."""
    with TemporaryDirectory() as scratch:
        made = Path(scratch, "package")
        subprocess.run([sys.executable, "-m", "rose", "compile", target(model), "-o", made, "-q"], check=True, cwd=ROOT)
        shutil.copytree(made, to, dirs_exist_ok=True)
    (to / "README.html").write_text(page_of((to / "README.md").read_text(), model.example))
    return sorted(to.iterdir())


def target(model: Model) -> str:
    """The functions of a model, as the command line takes them."""
    return f"{ROOT / 'examples' / model.example}.py:{','.join(model.functions)}"


# the document


def document(page: Page, packages: Sequence[Iterable[Path]]) -> str:
    """The whole page: what is its own, in the frame that all have."""
    top = "./" if page is HOME else "../"
    return Template((WEB / "frame.html").read_text()).substitute(
        title=html.escape(page.title if page is HOME else f"{page.title} · {HOME.title}"),
        about=html.escape(page.about),
        csp="; ".join([f"{k} {v}" for k, v in policy(page).items()]),
        top=top,
        slug=page.slug,
        nav="".join([link(other, top, here=other is page) for other in PAGES]),
        heading="" if page is HOME else f"<h1>{html.escape(page.title)}</h1>\n<p>{html.escape(page.about)}</p>",
        body=Template((WEB / page.slug / "body.html").read_text()).safe_substitute(
            cards=cards(),
            code=code(page),
            excerpt=excerpt(page),
            size=size(page.models[0], packages[0]),
            still=still(page),
        ),
        sources="\n".join([source(model, files) for model, files in zip(page.models, packages, strict=True)]),
    )


def policy(page: Page) -> dict[str, str]:
    """The Content-Security-Policy of a page."""
    more = dict(page.csp)
    return {k: f"{v} {more[k]}" if k in more else v for k, v in CSP.items()}


def link(page: Page, top: str, *, here: bool) -> str:
    current = ' aria-current="page"' if here else ""
    return f'<a href="{top}{page.slug}/"{current}>{html.escape(page.title)}</a>\n'


def still(page: Page) -> str:
    """What a reader without JavaScript sees: a picture, made by the functions of the page; or what there would be."""
    if page.slug not in PICTURES:
        return f"<noscript><p>{WITHOUT}</p></noscript>"
    _, functions = load(target(page.models[0]))
    picture = PICTURES[page.slug](rose.compile(functions))
    return f'<noscript><div class="picture still">{picture}</div><p>{STILL}</p></noscript>'


def cards() -> str:
    """The other pages, for the first."""
    return "\n".join(
        f'<a class="card" href="./{page.slug}/"><h2>{html.escape(page.title)}</h2><p>{html.escape(page.about)}</p></a>'
        for page in PAGES
    )


def code(page: Page) -> str:
    """The program of a page without what only runs it as a script."""
    text = (ROOT / "examples" / f"{page.models[0].example}.py").read_text()
    program = text.partition("\n\nif __name__")[0].partition('"""\n\n')[2]
    return coloured(program.replace("\n\n\n", "\n\n"))


def excerpt(page: Page) -> str:
    """The first functional of a page's program, without its docstring."""
    text = (ROOT / "examples" / f"{page.models[0].example}.py").read_text()
    (found,) = re.findall(r"\n(@F\.functional\n.*?)\n\n\n", text, re.DOTALL)[:1] or [""]
    return coloured(re.sub(r' *""".*?"""\n', "", found, flags=re.DOTALL)).rstrip()


def coloured(text: str) -> str:
    """Python as HTML, with a mark on what `style.css` gives a colour."""
    marked = highlight(text, PythonLexer(), HtmlFormatter(nowrap=True))
    return re.sub(r'<span class="(\w+)">([^<]*)</span>', lambda m: m[0] if m[1] in COLOURED else m[2], marked)


COLOURED = {"k", "kn", "kc", "ow", "nf", "nc", "nd", "s1", "s2", "sd", "c1", "sa"}


def source(model: Model, files: Iterable[Path]) -> str:
    """The Python of a model, and how large what came of it is."""
    text = (ROOT / "examples" / f"{model.example}.py").read_text()
    return (
        f"<details><summary>Its Python, <code>{model.example}.py</code>: {size(model, files)}</summary>\n"
        f'<pre tabindex="0"><code>{coloured(text)}</code></pre></details>\n'
        f'<p>In a page of yours: <code>import init from "./{model.folder}/index.js";</code> '
        f'and <a href="{model.folder}/README.html">its folder</a>.</p>'
    )


def size(model: Model, files: Iterable[Path]) -> str:
    """How large the module of a model is."""
    (wasm,) = [file for file in files if file.name == f"{model.example}.wasm"]
    return f"{wasm.stat().st_size:,} bytes of WebAssembly, {gzipped(wasm.read_bytes()):,} gzipped"


if __name__ == "__main__":
    main()
