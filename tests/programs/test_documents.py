"""README.md, CONTRIBUTING.md and the chapters in web/docs: programs run, commands work, outputs are as printed, links
and paths lead somewhere.

The blocks of a document are run from its top, in one empty directory. A Python block that begins with `# NAME.py` is
also that file. A block of shell has one command in a line, of which those of `rose` are run; `# exit code 3` at its end
is its exit code, 0 otherwise. A block of text is the output of the block before it, in which `...` stands for anything.
"""

import contextlib
import io
import re
import runpy
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from paths import ROOT

import rose
from rose.cli.commands import main

pytestmark = pytest.mark.slow

CHAPTERS = sorted((ROOT / "web" / "docs").glob("*.md"))
RUN = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *CHAPTERS]
MEASURED = sorted((ROOT / "benchmarks" / "results").glob("*.md"))
LINKED = [*RUN, ROOT / "CHANGELOG.md", ROOT / "web" / "README.md", *(ROOT / "benchmarks").glob("*.md"), *MEASURED]
OURS = "rose wasm_backend tests benchmarks examples web".split()
SOURCES = sorted([path for folder in OURS[:2] for path in (ROOT / folder).rglob("*.py")])
NODE = shutil.which("node")
TARGETS = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(text: str) -> list[tuple[str, str]]:
    """The language and the text of each block of code."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)


def python(text: str, name: str) -> str:
    head = re.match(r"# (\w+\.py)\n", text)
    file = Path(head[1] if head else name)
    file.write_text(text, encoding="utf-8")
    with contextlib.redirect_stdout(io.StringIO()) as out:
        runpy.run_path(str(file), run_name="__main__")
    return out.getvalue()


def shell(text: str, _: str) -> str:
    return "".join([command(line) for line in text.splitlines()])


def command(line: str) -> str:
    words, code = shlex.split(line, comments=True), re.search(r"# exit code (\d)", line)
    if words[0] != "rose":
        assert words[0] == "make", f"{line}: only commands of make and rose are known to be tested"
        assert words[1] in TARGETS
        return ""
    words = words[: words.index(">")] if ">" in words else words
    args = [*words[1:], "--help"] if words[1] == "serve" else words[1:]  # which would never end
    result = CliRunner().invoke(main, args)
    assert result.exit_code == int(code[1] if code else 0), (line, result.output, result.exception)
    return result.stdout


def javascript(text: str, _: str) -> str | None:
    if NODE is None:
        return None
    Path("block.mjs").write_text(text, encoding="utf-8")
    return subprocess.run([NODE, "block.mjs"], check=True, capture_output=True, text=True).stdout


def page(text: str, _: str) -> str:
    assert (Path(re.findall(r'"(\./[^"]+)"', text)[0])).exists()  # tests/web opens it
    return ""


def recipe(_: str, __: str) -> str:
    return ""  # tests/bundlers builds it


WAYS = {"python": python, "sh": shell, "js": javascript, "html": page}
WAYS |= dict.fromkeys(["jsx", "svelte", "vue"], recipe)


@pytest.mark.parametrize("path", RUN, ids=named)
def test_the_blocks_of_a_document_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    printed: str | None = ""
    for k, (language, text) in enumerate(blocks(path.read_text(encoding="utf-8"))):
        if language != "text":
            printed = WAYS[language](text, f"{path.stem}_{k + 1}.py")
        elif printed is not None:
            pattern = re.escape(text.strip()).replace(r"\.\.\.", ".*")
            assert re.fullmatch(pattern, printed.strip(), re.S), printed


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 200


def anchors(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", LINKED, ids=named)
def test_the_links_of_a_document_lead_somewhere(path: Path):
    for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
        file, _, anchor = link.partition("#")
        to = path.parent / file if file else path
        assert link.startswith("https://") or to.exists(), link
        assert not anchor or anchor in anchors(to), link


def test_the_files_that_a_text_names_are_there():
    others = [file for folder in ("tests/**", "web", "examples", "benchmarks") for file in ROOT.glob(f"{folder}/*.py")]
    files = {"FILE.py", "model.py", *[file.name for file in (*SOURCES, *others)]}
    missing: dict[str, list[str]] = {}
    for path in (*LINKED, ROOT / "NOTICE", *SOURCES):
        text = path.read_text(encoding="utf-8")
        paths = re.findall(rf"\b((?:{'|'.join(OURS)})/[\w/.-]*\w\.[a-z]{{2,4}})\b", text)
        wrong = [name for name in paths if not (ROOT / name).exists()]
        if wrong := [*wrong, *[name for name in re.findall(r"`(\w+\.py)`", text) if name not in files]]:
            missing[named(path)] = wrong
    assert missing == {}


def test_the_readme_leads_to_every_chapter():
    links = re.findall(r"\]\(([^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert {path.relative_to(ROOT).as_posix() for path in CHAPTERS} <= set(links)


def test_the_page_of_results_is_short_and_leads_to_every_other():
    page = ROOT / "benchmarks" / "RESULTS.md"
    links = re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))
    assert {path.relative_to(page.parent).as_posix() for path in MEASURED} <= set(links)
    assert len(page.read_text(encoding="utf-8").splitlines()) <= 60


def test_every_public_name_has_its_line_in_the_library_or_the_table_of_arrays():
    text = "".join([(ROOT / "web" / "docs" / name).read_text(encoding="utf-8") for name in ("library.md", "arrays.md")])
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    said = {name for code in re.findall(r"`([^`]+)`", text) for name in re.findall(r"\w+", code)}
    assert {*rose.__all__, "lib"} - said == set()
