"""The command line: what each command and option does, says, and gives as its exit code."""

import json
import math
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from paths import ROOT
from processes import INTERRUPTIBLE

import rose
from rose import ir
from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.transpose import transpose
from rose.cli import commands
from rose.frontend.vocabulary import VOCABULARY
from rose.ir.text.printer import show
from rose.optimise.pipeline import PASSES
from wasm_backend.lower import Program
from wasm_backend.package.files import gzipped, loaded, weight

FILES = """
    model.wasm index.js workerd.js inline.js index.d.ts inline.d.ts core.js
    README.md model.wasm.map package.json model.json
""".split()

MODEL = '''
import rose
from rose import Bool, Fin, Real, Vec, fn, opaque


@rose.struct
class Point:
    x: Real
    y: Real


@fn
def loss(x: Real, y: Real) -> Real:
    """The loss of nobody."""
    return x * y + 1.0


@fn
def norm(p: Point) -> Real:
    return rose.sqrt(p.x * p.x + p.y * p.y)


@fn
def swapped(p: Point) -> Point:
    return Point(p.y, p.x)


@fn
def opposite(b: Bool) -> Bool:
    return ~b
'''

MORE = """
from typing import NamedTuple

import rose
from rose import Bool, Fin, Real, Vec, fn, opaque


class Pair(NamedTuple):
    first: Real
    second: Vec[2]


@rose.struct
class Point:
    x: Real
    y: Real


@fn
def doubled(v: Vec[3]) -> Vec[3]:
    return rose.vec(2 * v[i] for i in rose.range(3))


@fn
def only(v: Vec[1]) -> Real:
    return v[0]


@fn
def after(i: Fin[4]) -> Fin[4]:
    return (i + 1) % 4


@fn
def nothing() -> None:
    return None


@fn
def nested(p: Pair, d: {"ps": Vec[2, Point], "b": Bool}) -> tuple[Pair, Vec[2, Point], Vec[2, Bool], Vec[2, Fin[9]]]:
    return p, d["ps"], [d["b"], ~d["b"]], [8, 0]


@fn
def root(x: Real) -> Real:
    return rose.sqrt(x)


@fn
def divided(x: Real, y: Real) -> Real:
    return x / y


@opaque
def tell(x: Real) -> Real:
    print("told", x)
    return x


@fn
def telling(x: Real) -> Real:
    return tell(x) + 1
"""

WRONG = """
import rose
from rose import Fin, Real, Vec, fn, opaque

@fn
def branching(x: Real) -> Real:
    return -x if x < 0.0 else x

@fn
def out_of_range(v: Vec[3]) -> Real:
    return v[7]

@fn
def misspelt(x: Real) -> Real:
    return rose.squareroot(x)

@fn
def raising(x: Real) -> Real:
    return {}["nowhere"]

@opaque
def failing(x: Real) -> Real:
    raise OSError("the host is down")

@fn
def asking(x: Real) -> Real:
    return failing(x)
"""


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Shell:
    """A directory in which `rose` is called, in this process."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def __call__(self, *args: Any) -> Done:
        with pytest.raises(SystemExit) as e:
            commands.main([str(a) for a in args], prog_name="rose")
        out, err = self.capsys.readouterr()
        assert isinstance(e.value.code, int)
        return Done(e.value.code, out, err)

    def tree(self) -> dict[str, bytes]:
        """The files that are there, but for the bytecode that Python keeps."""
        files = [p for p in self.folder.rglob("*") if p.is_file() and p.parent.name != "__pycache__"]
        return {str(p.relative_to(self.folder)): p.read_bytes() for p in files}

    def fails(self, code: int, *args: Any) -> str:
        """What it says, in failing as it should: on stderr, without a traceback, and writing nothing."""
        before = self.tree()
        done = self(*args)
        assert done.code == code, done
        assert "Traceback" not in done.err
        assert done.out == ""
        assert self.tree() == before
        return done.err[done.err.index("Error: ") + len("Error: ") :]


@pytest.fixture
def sh(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    shell = Shell(tmp_path, capsys)
    for name, text in {"model.py": MODEL, "more.py": MORE, "wrong.py": WRONG}.items():
        shell.write(name, text)
    before = set(sys.modules)
    yield shell
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


# all commands


def test_help_and_version(sh: Shell):
    for flag in ("-h", "--help"):
        code, out, err = sh(flag)
        assert (code, err) == (0, "")
        assert all(name in out for name in ("compile", "run", "ir", "ops", "--version"))
    for command, words in {
        "compile": ["--out", "--grad"],
        "run": ["ARGS-AS-JSON"],
        "ir": ["--pass", "--dot", "--svg", "--after-each", "--time-passes", "--without"],
        "ops": [],
    }.items():
        code, out, _ = sh(command, "--help")
        assert code == 0
        assert out.startswith(f"Usage: rose {command} [OPTIONS]")
        assert all(word in out for word in words)
    code, out, err = sh("--version")
    assert (code, err) == (0, "")
    assert out.startswith("rose")


@pytest.mark.parametrize(
    "args",
    [[], ["nonsense"], ["compile"], ["compile", "model.py"], ["compile", "-o", "out"], ["run"], ["ir"],
     ["ir", "model.py:loss", "--pass", "nonsense"], ["compile", "model.py", "-o", "out", "--nonsense"], ["ops", "x"]],
)  # fmt: skip
def test_a_command_that_is_no_command(sh: Shell, args: list[str]):
    assert sh(*args).code == 2


NO_PROGRAM = {
    "nowhere.py": (2, "there is no file nowhere.py"),
    ".": (2, "there is no file ."),
    "notes.txt": (2, "notes.txt is not a Python file"),
    "model.py:nowhere": (2, "model.py has no @fn function nowhere; it has loss, norm, swapped, opposite"),
    "model.py:Point": (2, "model.py has no @fn function Point; it has loss, norm, swapped, opposite"),
    "model.py:loss,nowhere": (2, "model.py has no @fn function nowhere; it has loss, norm, swapped, opposite"),
    "plain.py:f": (2, "plain.py has no @fn function f; it has none"),
    "plain.py": (1, "plain.py has no @fn function"),
    "host.py": (1, "host.py has no @fn function"),
    "raises.py": (
        1,
        "raises.py cannot be imported: ZeroDivisionError: division by zero",
        "  at {}/raises.py:3",
        "    x = 1 / 0",
        "        ^^^^^",
    ),
    "exits.py": (
        1,
        "exits.py cannot be imported: SystemExit: 3",
        "  at {}/exits.py:2",
        "    sys.exit(3)",
        "    ^^^^^^^^^^^",
    ),
    "syntax.py": (
        1,
        "syntax.py cannot be imported: SyntaxError: invalid syntax",
        '  File "{}/syntax.py", line 2',
        "    y = x x",
        "          ^",
    ),
    "annotation.py": (
        1,
        "annotation.py cannot be imported: TypeMismatch: int is not a type that a traced value can have",
        "  at {}/annotation.py:",
    ),
}
PROGRAMS = {
    "notes.txt": "",
    "plain.py": "x = 1\nf = abs\n",
    "host.py": "from rose import Real, opaque\n\n@opaque\ndef f(x: Real) -> Real:\n    return x\n",
    "raises.py": "from rose import fn\n\nx = 1 / 0\n",
    "exits.py": "import sys\nsys.exit(3)\n",
    "syntax.py": "x = 1\ny = x x\n",
    "annotation.py": "from rose import fn\n\n@fn\ndef f(x: int) -> None:\n    return None\n",
}


@pytest.mark.parametrize("target", NO_PROGRAM)
def test_a_file_that_is_not_there_or_has_no_function_or_fails(sh: Shell, target: str):
    for name, text in PROGRAMS.items():
        sh.write(name, text)
    code, *lines = NO_PROGRAM[target]
    for command in (["compile", target, "-o", "out"], ["run", target], ["ir", target]):
        said = sh.fails(code, *command).splitlines()
        for line, wanted in zip(said, lines, strict=False):
            assert line.startswith(wanted.format(sh.folder))
        assert len(said) >= len(lines)


IN_TRACING = {
    "branching": (7, "TypeMismatch: a traced Bool ", "return -x if x < 0.0 else x", "             ^^^^^^^"),
    "out_of_range": (11, "OutOfRange: index 7 ", "return v[7]", "         ^"),
    "misspelt": (15, "NoField: rose has no squareroot", "return rose.squareroot(x)", "       ^^^^^^^^^^^^^^^"),
    "raising": (19, "KeyError: 'nowhere'", 'return {}["nowhere"]', "       ^^^^^^^^^^^^^"),
}


@pytest.mark.parametrize("name", IN_TRACING)
def test_an_error_of_the_users_program_has_its_place_and_a_caret_and_no_traceback(sh: Shell, name: str):
    line, message, text, caret = IN_TRACING[name]
    target = f"wrong.py:{name}"
    argument = "[1, 2, 3]" if name == "out_of_range" else "1"
    for command in (["compile", target, "-o", "out"], ["run", target, argument], ["ir", target]):
        said = sh.fails(1, *command).splitlines()
        assert said[0].startswith(message)
        assert said[1] == f"  at {sh.folder}/wrong.py:{line}"
        assert said[2] == f"    {text}"
        assert said[3].startswith(f"    {caret[: caret.index('^') + 1]}"), said[3]


def test_an_error_when_it_runs_has_its_place_too(sh: Shell):
    said = sh.fails(1, "run", "wrong.py:asking", "1").splitlines()
    assert said[0] == "OSError: the host is down"
    assert said[1] == f"  at {sh.folder}/wrong.py:23"


def test_an_error_of_ours_keeps_its_traceback(sh: Shell, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("rose.build._lowered", None)
    with pytest.raises(TypeError, match="not callable"):
        commands.main(["compile", str(sh.folder / "model.py"), "-o", "out"], prog_name="rose")


def test_files_with_odd_names(sh: Shell):
    names = {"two words.py": "two_words", "größe.py": "größe", "calendar.py": "calendar", "a-b.c.py": "a-b.c"}
    if os.name != "nt":
        names |= {"a:b.py": "a_b", "(x).py": "_x_"}
    for k, (name, package) in enumerate(names.items()):
        path = sh.write(f"a folder/{name}", MODEL)
        assert sh("run", f"{path}:loss", "2", "3") == (0, "7.0\n", "")
        done = sh("compile", path, "-o", f"out {k}", "--json")
        assert done.code == 0, done
        assert (sh.folder / f"out {k}" / f"{package}.wasm").exists()
        assert list(json.loads(done.out)["functions"]) == ["loss", "norm", "swapped", "opposite"]


def test_a_file_beside_it_can_be_imported_and_its_functions_are_not_compiled_again(sh: Shell):
    sh.write("lib/parts.py", MODEL + "\n\ndef times(k):\n    return rose.fn([Real], Real)(lambda x: k * x)\n")
    main = """
        import rose, parts
        from parts import loss, norm as length, times
        twice, slope, same = times(2), rose.grad(loss), loss
        @rose.fn
        def own(x: rose.Real) -> rose.Real:
            return twice(x) + loss(x, x)
    """
    path = sh.write("lib/main.py", "\n".join([line[8:] for line in main.splitlines()]))
    done = sh("compile", path, "-o", "out", "--json")
    assert json.loads(done.out)["functions"] == ["twice", "slope", "own"]
    assert sh("run", f"{path}:length", '{"x": 3, "y": 4}').out == "5.0\n"
    assert sh("run", f"{path}:own", "2").out == "9.0\n"


# compile


def names_in(out: Path) -> list[str]:
    """The functions of a package, as its metadata has them."""
    (data,) = [file for file in out.glob("*.json") if file.name != "package.json"]
    return [x["name"] for x in json.loads(data.read_text())["functions"]]


def test_compile_a_whole_file(sh: Shell):
    code, out, err = sh("compile", "model.py", "-o", "out")
    assert code == 0
    assert out.splitlines() == [str(Path("out", name)) for name in FILES]
    assert sorted(p.name for p in Path("out").iterdir()) == sorted(FILES)
    assert names_in(Path("out")) == ["loss", "norm", "swapped", "opposite"]
    files = {name: Path("out", name).read_bytes() for name in FILES}
    sizes = [f"  {len(x):,} bytes, {gzipped(x):,} gzipped" for x in files.values()]
    assert err.splitlines() == [*sizes, f"a page loads {weight(files):,} bytes, gzipped"]
    assert "The loss of nobody." in Path("out", "index.d.ts").read_text()


def test_compile_makes_what_rose_compile_makes(sh: Shell):
    sh("compile", "model.py:loss,norm", "-o", "out", "--grad", "--no-check")
    scope = runpy.run_path("model.py")
    loss, norm = scope["loss"], scope["norm"]
    module = rose.compile({"loss": loss, "norm": norm, "grad_loss": rose.grad(loss), "grad_norm": rose.grad(norm)})
    again = module.save("again", "model")
    assert {f.name: f.read_bytes() for f in again} == {f.name: f.read_bytes() for f in Path("out").iterdir()}


def test_compile_writes_the_module_once(sh: Shell, monkeypatch: pytest.MonkeyPatch):
    made, finish = list[Program](), Program.finish
    monkeypatch.setattr(Program, "finish", lambda p: (made.append(p), finish(p))[1])
    assert sh("compile", "model.py:loss", "-o", "out", "--html", "--no-check").code == 0
    assert len(made) == 1 and Path("out", "model.wasm.map").is_file()


def test_compile_in_single_precision(sh: Shell):
    assert sh("compile", "model.py", "-o", "out", "--grad", "--dtype", "f32", "-q", "--no-check").code == 0
    scope = runpy.run_path("model.py")
    fs = {name: scope[name] for name in ("loss", "norm", "swapped", "opposite")}
    grads = {f"grad_{name}": rose.grad(fs[name]) for name in ("loss", "norm")}
    again = rose.compile({**fs, **grads}, dtype="f32").save("again", "model")
    assert {f.name: f.read_bytes() for f in again} == {f.name: f.read_bytes() for f in Path("out").iterdir()}
    assert "'f16' is not one of 'f64', 'f32'" in sh("compile", "model.py", "-o", "more", "--dtype", "f16").err


LOOP = """
from rose import Real, Vec, fn
import rose

@fn
def f(x: Vec[100]) -> Real:
    return rose.sum((x[i] ** 2 + 1.0) / (x[i] ** 4 + 2.0) * x[i] for i in rose.range(100))
"""


@pytest.mark.parametrize(("options", "simd"), [(["--simd"], True), (["--simd=relaxed"], "relaxed")])
def test_compile_two_turns_at_once(sh: Shell, options: list[str], simd: bool | str):
    Path("loop.py").write_text(LOOP)
    assert sh("compile", *options, "loop.py", "-o", "out", "-q", "--no-check").code == 0
    again = rose.compile(runpy.run_path("loop.py")["f"], simd=simd).save("again", "loop")
    assert sorted(f.name for f in Path("out").iterdir()) == sorted(f.name for f in again)
    assert [f.read_bytes() for f in again] == [Path("out", f.name).read_bytes() for f in again]
    assert Path("out/loop.simd.wasm").exists()
    assert "'fast' is not one of" in sh("compile", "loop.py", "-o", "more", "--simd=fast").err


def test_compile_of_finite_numbers(sh: Shell):
    Path("finite.py").write_text(LOOP.replace("x[i] ** 2 + 1.0", "x[i] ** 2 + 0.0 * x[i]"))
    assert sh("compile", "--finite", "finite.py", "-o", "out", "-q", "--no-check").code == 0
    f = runpy.run_path("finite.py")["f"]
    again = rose.compile(f, finite=True).save("again", "finite")
    assert [f.read_bytes() for f in again] == [Path("out", f.name).read_bytes() for f in again]
    assert Path("out/finite.wasm").stat().st_size < len(rose.compile(f).files("finite")["finite.wasm"])


@pytest.mark.parametrize(
    ("names", "wanted"),
    [("loss", ["loss"]), ("norm,loss", ["norm", "loss"]), (" loss , norm", ["loss", "norm"]), ("loss,loss", ["loss"])],
)
def test_compile_named_functions(sh: Shell, names: str, wanted: list[str]):
    assert sh("compile", f"model.py:{names}", "-o", "out").code == 0
    assert names_in(Path("out")) == wanted


@pytest.mark.parametrize(
    ("options", "more"),
    [
        (["--grad"], ["grad_loss", "grad_norm"]),
        (["--value-and-grad"], ["value_and_grad_loss", "value_and_grad_norm"]),
        (["--hessian"], ["hessian_loss", "hessian_norm"]),
        (["--vjp"], ["vjp_loss", "vjp_norm", "vjp_swapped", "vjp_opposite"]),
        (["--hessian", "--grad"], ["grad_loss", "grad_norm", "hessian_loss", "hessian_norm"]),
    ],
)
def test_compile_derivatives(sh: Shell, options: list[str], more: list[str]):
    code, _, err = sh("compile", "model.py", "-o", "out", *options)
    assert code == 0
    assert names_in(Path("out")) == ["loss", "norm", "swapped", "opposite", *more]
    left = [line.partition(" is left out: ")[0] for line in err.splitlines() if " is left out: " in line]
    kinds = [x.removeprefix("--").replace("-", "_") for x in sorted(options)]
    assert left == [f"{k}_{f}" for k in kinds if k != "vjp" for f in ("swapped", "opposite")]


def test_the_derivatives_that_are_asked_for(sh: Shell):
    asked = ["--grad", "--value-and-grad", "--hessian", "--vjp"]
    sh("compile", "model.py:norm", "-o", "out", *asked)
    made = Path("out", "index.d.ts").read_text()
    assert "readonly grad_norm: Checked<(p: Point) => Point>;" in made
    assert "readonly vjp_norm: Checked<(p: Point, ct: number) => [value: number, gradient: Point]>;" in made


def test_a_derivative_that_cannot_be_made_is_an_error(sh: Shell):
    sh.write("host.py", MORE)
    said = sh.fails(1, "compile", "host.py:telling", "-o", "out", "--grad").splitlines()
    assert said[0].startswith("NotDifferentiable: tell is opaque")
    assert said[2] == "    return tell(x) + 1"


def test_functions_of_one_name(sh: Shell):
    twice = "\n@fn\ndef loss(x: Real) -> Real:\n    return 2 * x\n"
    sh.write("twice.py", f"{MODEL}\nfirst = loss\n{twice}\nsecond = loss\n")
    done = sh("compile", "twice.py", "-o", "out", "--json")
    assert json.loads(done.out)["functions"] == ["loss", "norm", "swapped", "opposite", "first", "second"]
    assert sh("run", "twice.py:loss", "4").out == sh("run", "twice.py:second", "4").out == "8.0\n"
    assert sh("run", "twice.py:first", "4", "1").out == "5.0\n"
    sh.write("taken.py", f"{MODEL}\ngrad_loss = norm\n")
    said = sh.fails(2, "compile", "taken.py", "-o", "other", "--grad")
    assert said == "there would be two functions called grad_loss: taken.py has one\n"


def test_compile_says_json(sh: Shell):
    code, out, err = sh("compile", "model.py:loss", "-o", "out", "--grad", "--json")
    assert (code, err) == (0, "")
    files = {name: Path("out", name).read_bytes() for name in FILES}
    sizes = {str(Path("out", name)): len(x) for name, x in files.items()}
    told = {"functions": ["loss", "grad_loss"], "files": sizes, "gzipped": weight(files)}
    assert json.loads(out) == {**told, "sources": [str(Path("model.py").resolve())]}


def test_a_package_may_have_its_module_inside(sh: Shell):
    out = sh("compile", "model.py:loss", "-o", "out", "--inline").out
    assert [Path(x).name for x in out.splitlines()] == [
        "index.js", "index.d.ts", "core.js", "README.md", "package.json", "model.json",
    ]  # fmt: skip


def test_a_package_has_the_name_and_the_version_that_it_is_given(sh: Shell):
    assert sh("compile", "model.py:loss", "-o", "out", "--name", "@me/valley", "--version", "1.2.0", "-q").code == 0
    manifest = json.loads(Path("out", "package.json").read_text())
    assert [manifest[k] for k in ("name", "version", "description")] == ["@me/valley", "1.2.0", "The loss of nobody."]
    assert Path("out", "valley.wasm").exists()


@pytest.mark.parametrize("option", [("--name", "me/valley"), ("--name", ""), ("--version", "1.2"), ("--version", "")])
def test_names_and_versions_that_npm_refuses_are_refused(sh: Shell, option: tuple[str, str]):
    said = sh.fails(2, "compile", "model.py:loss", "-o", "out", *option)
    assert said.startswith(f"{option[1]!r} cannot be the {option[0][2:]} of a package: ")
    assert not Path("out").exists()


def test_a_page_to_try_a_package_with(sh: Shell):
    assert sh("compile", "model.py:loss", "-o", "out", "--html", "-q").code == 0
    assert '<form data-function="loss">' in Path("out", "model.html").read_text()
    assert not Path("out", "loss.html").exists()


def test_a_package_that_is_too_large_is_not_written(sh: Shell):
    assert sh("compile", "model.py:loss", "-o", "out", "--max-gz", "5k", "-q").code == 0
    files = {f.name: f.read_bytes() for f in Path("out").iterdir()}
    total = weight(files)
    assert sorted(loaded(files)) == ["core.js", "index.js", "model.wasm"]
    assert sh("compile", "model.py:loss", "-o", "out", "--force", "-q", "--max-gz", str(total)).code == 0
    said = sh.fails(4, "compile", "model.py:loss", "-o", "other", "--max-gz", str(total - 1))
    assert said.splitlines()[0] == f"a page loads {total:,} bytes, gzipped, and may load {total - 1:,}"
    assert f"  model.wasm: {gzipped(files['model.wasm']):,}" in said.splitlines()
    assert not Path("other").exists()


@pytest.mark.parametrize(("text", "most"), [("10k", 10_000), ("0.5kB", 500), ("1 M", 1_000_000), ("77", 77), ("7b", 7)])
def test_sizes(text: str, most: int):
    assert commands.bytes_of(text) == most


def test_what_is_no_size(sh: Shell):
    for text in ("ten", "-1", "1g", ""):
        err = sh("compile", "model.py", "-o", "out", "--max-gz", text).err
        assert f"{text} is not a size: write 10k, or 10000" in err


def test_compile_says_nothing_or_more(sh: Shell):
    assert sh("compile", "model.py", "-o", "quiet", "-q", "--grad") == (0, "", "")
    code, out, err = sh("compile", "model.py", "-o", "verbose", "-v", "--vjp")
    assert code == 0
    assert out.splitlines() == [str(Path("verbose", name)) for name in FILES]
    lines = err.splitlines()
    assert "loss: <fn loss(x: Real, y: Real) -> Real>" in lines
    assert "vjp_norm: <fn vjp(norm)(p: Point, ct: Real) -> (Real, Point)>" in lines  # not broken, not taken for markup
    assert sh("compile", "model.py", "-o", "quiet", "-q").err != ""


def test_what_is_there_already_is_refused_but_for_force(sh: Shell):
    sh("compile", "model.py", "-o", "out", "-q")
    Path("out", "mine.txt").write_text("mine")
    said = sh.fails(2, "compile", "model.py:loss", "-o", "out")
    assert said.splitlines()[0] == f"out already has {', '.join(FILES)}"
    assert sh("compile", "model.py:loss", "-o", "out", "--force").code == 0
    assert names_in(Path("out")) == ["loss"]
    assert Path("out", "mine.txt").read_text() == "mine"


def test_a_directory_is_made_with_those_around_it(sh: Shell):
    assert sh("compile", "model.py", "-o", "a/b/c").code == 0
    assert names_in(Path("a/b/c")) == ["loss", "norm", "swapped", "opposite"]


def test_a_directory_that_cannot_be_written(sh: Shell):
    sh.write("file", "")
    for force in ([], ["--force"]):
        assert sh.fails(2, "compile", "model.py", "-o", "file", *force).startswith("file is not a directory\n")
        assert sh.fails(2, "compile", "model.py", "-o", "file/out", *force).startswith("file is not a directory\n")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root, and Windows, can write everywhere")
def test_a_directory_without_permission(sh: Shell):
    Path("locked").mkdir(mode=0o500)
    for out in ("locked", "locked/out"):
        assert sh.fails(2, "compile", "model.py", "-o", out).startswith("cannot write ")


def test_a_wrong_program_leaves_what_is_there(sh: Shell):
    sh("compile", "model.py", "-o", "out", "-q")
    sh.write("model.py", MODEL + WRONG)
    sh.fails(1, "compile", "model.py", "-o", "out", "--force")
    sh.fails(1, "compile", "model.py", "-o", "other")


@pytest.mark.parametrize("steps", range(0, 2 * len(FILES), 5))
def test_an_interrupt_while_writing_leaves_what_is_there(sh: Shell, monkeypatch: pytest.MonkeyPatch, steps: int):
    sh("compile", "model.py:loss", "-o", "out", "-q")
    before, left = sh.tree(), [steps]

    def interrupted(real: Any) -> Any:
        def call(*args: Any) -> Any:
            left[0] -= 1
            if left[0] == -1:
                raise KeyboardInterrupt
            return real(*args)

        return call

    for owner, name in ((Path, "write_bytes"), (os, "replace")):
        monkeypatch.setattr(owner, name, interrupted(getattr(owner, name)))
    done = sh("compile", "model.py:norm", "-o", "out", "--force")
    assert done.code not in (0, 2)
    assert "Traceback" not in done.err
    assert sh.tree() == before


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send")
def test_an_interrupt_while_tracing_leaves_nothing(sh: Shell):
    stop = "import os, signal, time\n@fn\ndef slow(x: Real) -> Real:\n    {}\n    time.sleep(60)\n    return x\n"
    sh.write("slow.py", MODEL + stop.format("os.kill(os.getpid(), signal.SIGINT)"))
    before = sh.tree()
    done = process("compile", "slow.py", "-o", "out", cwd=sh.folder)
    assert done.code not in (0, 2, -signal.SIGINT)
    assert "Traceback" not in done.err
    assert sh.tree() == before


ENDLESS = """
import os, signal, threading

def interrupt():
    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    return True

@fn
def slow(x: Real) -> Real:
    started = interrupt()
    return rose.while_loop(lambda s: s > -x * x - 1.0, lambda s: s * 0.5 + x, x)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send")
@pytest.mark.parametrize("command", [["run", "slow.py:slow", "1"], ["check", "slow.py:slow"]], ids=lambda c: c[0])
def test_an_interrupt_ends_what_runs_without_end(sh: Shell, command: list[str]):
    sh.write("slow.py", MODEL + ENDLESS)
    done = process(*command, cwd=sh.folder)
    assert done.code not in (0, 2, -signal.SIGINT)
    assert "Traceback" not in done.err
    assert "Aborted!" in done.err


# run

RUNS: list[tuple[str, list[str], Any]] = [
    ("model.py:loss", ["2", "3"], 7.0),
    ("model.py:loss", ["[2, 3]"], 7.0),
    ("model.py:loss", ["2.5", "-1e3"], -2499.0),
    ("model.py:loss", ["-2", "-3"], 7.0),
    ("model.py:loss", ["--", "-2", "3"], -5.0),
    ("model.py:norm", ['{"x": 3, "y": 4}'], 5.0),
    ("model.py:norm", ['{"y": 4, "x": 3}'], 5.0),
    ("model.py:norm", ['[{"x": 3, "y": 4}]'], 5.0),
    ("model.py:norm", ["[3, 4]"], 5.0),
    ("model.py:swapped", ['{"x": 3, "y": 4}'], {"x": 4.0, "y": 3.0}),
    ("model.py:opposite", ["true"], False),
    ("more.py:doubled", ["[1, 2, 3]"], [2.0, 4.0, 6.0]),
    ("more.py:doubled", ["[[1, 2, 3]]"], [2.0, 4.0, 6.0]),
    ("more.py:only", ["[1]"], 1.0),
    ("more.py:only", ["[[1]]"], 1.0),
    ("more.py:after", ["3"], 0),
    ("more.py:nothing", [], None),
    ("more.py:nothing", ["[]"], None),
    ("more.py:root", ["-1"], math.nan),
    ("more.py:root", ["Infinity"], math.inf),
    ("more.py:divided", ["-1", "0"], -math.inf),
    ("more.py:divided", ["0.0", "-1"], -0.0),
    (
        "more.py:nested",
        ['{"first": 1, "second": [2, 3]}', '{"ps": [{"x": 0.5, "y": 1}, [7, 8]], "b": true}'],
        [
            {"first": 1.0, "second": [2.0, 3.0]},
            [{"x": 0.5, "y": 1.0}, {"x": 7.0, "y": 8.0}],
            [True, False],
            [8, 0],
        ],
    ),
]


@pytest.mark.parametrize(("target", "args", "wanted"), RUNS)
def test_run_a_function(sh: Shell, target: str, args: list[str], wanted: Any):
    code, out, err = sh("run", target, *args)
    assert (code, err) == (0, "")
    assert repr(json.loads(out)) == repr(wanted)
    assert out.count("\n") == 1


WRONG_ARGUMENTS = [
    ("model.py:loss", [], "loss takes 2 arguments (x, y), got 0"),
    ("model.py:loss", ["1"], "loss takes 2 arguments (x, y), got 1"),
    ("model.py:loss", ["1", "2", "3"], "loss takes 2 arguments (x, y), got 3"),
    ("model.py:loss", ["[1, 2, 3]"], "loss takes 2 arguments (x, y), got 3"),
    ("model.py:loss", ['{"x": 1, "y": 2}'], "loss takes 2 arguments (x, y), got 1"),
    ("model.py:loss", ["1", "x"], "the argument x is not JSON: "),
    ("model.py:loss", ["1", "[2"], "the argument [2 is not JSON: "),
    ("model.py:loss", ["1", ""], "the argument  is not JSON: "),
    ("model.py:loss", ["-x", "1"], "the argument -x is not JSON: "),
    ("model.py:loss", ["[" * 100_000, "1"], "the argument [[[["),
    ("model.py:loss", ["1", '"2"'], "y must be a Real"),
    ("model.py:loss", ["1", "true"], "y must be a Real"),
    ("model.py:loss", ["1", "null"], "y must be a Real"),
    ("model.py:loss", ["1", "1" + "0" * 400], "y "),
    ("model.py:norm", ['{"x": 3}'], "p is missing field 'y'"),
    ("model.py:norm", ['{"x": 3, "y": 4, "z": 5}'], "p has the unknown field 'z'"),
    ("model.py:norm", ['{"x": 3, "y": [4]}'], "p.y must be a Real"),
    ("model.py:opposite", ["1"], "b must be a Bool"),
    ("more.py:after", ["4"], "i is out of range: 4"),
    ("more.py:after", ["1.5"], "i must be a Fin[4]"),
    ("more.py:doubled", ["[1, 2]"], "v must have 3 elements, got 2"),
    ("more.py:doubled", ["[[1, 2]]"], "v must have 3 elements, got 2"),
    ("more.py:nothing", ["1"], "nothing takes no arguments"),
    ("model.py", ["1"], "name one function, as in model.py:loss; there are loss, norm, swapped, opposite"),
    ("model.py:loss,norm", ["1"], "name one function, as in model.py:loss; there are loss, norm"),
]


@pytest.mark.parametrize(("target", "args", "message"), WRONG_ARGUMENTS)
def test_run_with_wrong_arguments(sh: Shell, target: str, args: list[str], message: str):
    said = sh.fails(2, "run", target, *args)
    assert said.startswith(message)
    assert "\n  at " not in said  # there is no line to point at


def test_a_sparse_matrix_is_coordinates(sh: Shell):
    sh.write("sparse.py", SPARSE)
    wanted = {"rows": [0, 1, 1, 2], "cols": [1, 0, 2, 1], "values": [1.0, 1.0, 1.0, 1.0], "shape": [3, 3]}
    assert json.loads(sh("run", "sparse.py:hess", "[1, 2, 3]").out) == wanted
    assert sh("check", "sparse.py").code == 0
    assert sh("compile", "sparse.py", "-o", "dist").code == 0
    assert (
        "hess: Checked<(x: readonly [number, number, number] | Numbers) => Sparse>"
        in (sh.folder / "dist/index.d.ts").read_text()
    )


SPARSE = """
import rose
from rose import Real, Vec, fn


@fn
def f(x: Vec[3]) -> Real:
    return x[0] * x[1] + x[1] * x[2]


hess = rose.hessian(f, sparse=True)
"""


def test_run_in_single_precision(sh: Shell):
    assert json.loads(sh("run", "more.py:divided", "1", "3", "--dtype", "f32").out) == 0.3333333432674408
    assert sh("run", "more.py:doubled", "[0.1, 1, 2]", "--dtype", "f32").out == "[0.20000000298023224, 2.0, 4.0]\n"
    assert sh.fails(2, "run", "--dtype", "f32", "more.py:divided", "1", "1e39").startswith(
        "y must be a Single, got 1e+39"
    )
    assert json.loads(sh("run", "--dtype", "f64", "more.py:divided", "1e39", "1e39").out) == 1.0


def test_run_a_function_of_the_host_once(sh: Shell):
    assert sh("run", "more.py:telling", "2") == (0, "told 2.0\n3.0\n", "")
    assert sh("run", "more.py:tell", "2") == (0, "told 2.0\n2.0\n", "")
    assert sh("run", "more.py:telling", "[2]") == (0, "told 2.0\n3.0\n", "")


def test_run_the_only_function_of_a_file(sh: Shell):
    sh.write("one.py", "import rose\n@rose.fn\ndef f(x: rose.Real) -> rose.Real:\n    return x * 2\n")
    assert sh("run", "one.py", "4").out == "8.0\n"


# functions of any size

ANY_SIZE = """
import rose
from rose import Real, Vec, fn

n = rose.dim("n")


@fn
def total(x: Vec[n], y: Vec[n]) -> Real:
    return rose.dot(x, y)
"""


def test_functions_of_any_size(sh: Shell):
    sh.write("any.py", ANY_SIZE)
    assert sh("compile", "any.py", "--size", "n=3", "--grad", "-o", "out").code == 0
    assert "total(x: [2]Real, y: [2]Real)" in sh("ir", "any.py", "--size", "n=2").out
    assert sh("run", "any.py", "[1, 2]", "[3, 4]").out == "11.0\n"
    assert sh("run", "any.py", "[[], []]", "--dtype", "f32").out == "0.0\n"
    assert sh.fails(2, "run", "any.py", "[1, 2]", "[3]").startswith("y must have n = 2 elements, as x has, got 1")
    for given, message in [([], "total needs a size for each of n, and n is not given\n  hint: write --size n=10"),
                           (["--size", "n"], "--size n: write --size n=10"), (["--size", "n=-1"], "--size n=-1: write"),
                           (["--size", "k=3"], "rose.compile has no option 'k'")]:  # fmt: skip
        assert sh.fails(2, "compile", "any.py", *given, "-o", "no").startswith(message)
        assert sh.fails(2, "ir", "any.py", *given).startswith(message)


def test_one_module_for_every_size(sh: Shell):
    sh.write("any.py", ANY_SIZE)
    assert sh("compile", "any.py", "--dynamic", "--grad", "-o", "out").code == 0
    assert "#total" in (Path("out") / "core.js").read_text()
    sh.write("one.py", "from rose import Real, fn\n\n@fn\ndef f(x: Real) -> Real:\n    return x\n")
    assert sh.fails(2, "compile", "one.py", "--dynamic", "-o", "no").startswith("no function has a rose.dim")


# ir


@pytest.mark.parametrize("name", ["loss", "norm", "swapped", "opposite"])
def test_ir_prints_the_text_after_each_pass(sh: Shell, name: str):
    f = runpy.run_path("model.py")[name]
    derivative = jvp(f.func, full_mask(f.func))
    halves = None if derivative.flat else transpose(derivative.func)
    wanted = {
        "trace": show(f.func),
        "jvp": show(derivative.func),
        "transpose": show(derivative.func) if halves is None else f"{show(halves.fwd)}\n\n{show(halves.bwd)}",
        "optimise": show(f.func),  # nothing in it is dead
        "wasm": rose.compile({name: f}).disassemble(),
    }
    for stage, text in wanted.items():
        assert sh("ir", f"model.py:{name}", "--pass", stage) == (0, text + "\n", "")
    assert sh("ir", f"model.py:{name}").out == wanted["trace"] + "\n"


def test_ir_drops_dead_code_when_it_optimises(sh: Shell):
    sh.write("dead.py", "import rose\n@rose.fn\ndef f(x: rose.Real) -> rose.Real:\n    x * 2\n    return x + 1\n")
    assert " * " in sh("ir", "dead.py:f").out
    assert " * " not in sh("ir", "dead.py:f", "--pass", "optimise").out


FUNCTIONALS = """import rose
from rose import Real, fn, functional as F

@F.functional
def energy(y: F.Map[Real, Real]) -> Real:
    return F.integrate(y**2, F.Grid.trapezoid(0.0, 1.0, 5))

@fn
def curve(x: Real) -> Real:
    return x

slope = rose.grad(energy)(curve)
"""


def test_ir_prints_the_operators_of_a_functional(sh: Shell):
    sh.write("energy.py", FUNCTIONALS)
    whole = sh("ir", "energy.py:energy").out
    assert whole.startswith("def energy(y: Map[Real, Real]): Real =\n") and "integrate(f0, 0, g0)" in whole
    assert sh("ir", "energy.py:slope", "--pass", "compose").out.startswith("def grad(energy): Map[Real, Real] =\n")
    assert "\ndef grad_energy(x: Real): Real =\n" in sh("ir", "energy.py:slope").out
    assert sh("ir", "energy.py:energy", "--dot").out.startswith("digraph rose {")
    assert sh("ir", "energy.py:energy", "--svg").out.startswith("<svg ")


def test_a_functional_is_composed_and_neither_traced_nor_compiled(sh: Shell):
    sh.write("energy.py", FUNCTIONALS)
    assert "energy is composed, and not traced yet" in sh.fails(2, "ir", "energy.py:energy", "--pass", "jvp")
    assert "energy is a functional: name a function" in sh.fails(2, "compile", "energy.py:energy", "-o", "out")


SLOPES = """import rose
from rose import Real, Vec

@rose.fn
def f(x: Vec[50], y: Vec[50]) -> Real:
    return rose.sum((x[i] - y[i]) ** 2 for i in rose.range(50))

g = rose.value_and_grad(f)
"""


def test_ir_prints_what_a_pass_of_the_optimiser_makes(sh: Shell):
    sh.write("slopes.py", SLOPES)
    before, after = [sh("ir", "slopes.py:g", "--pass", name).out for name in ("inline", "fuse-loops")]
    assert [text.count("[for ") for text in (before, after)] == [2, 1]
    assert "def value_and_grad_f(" in sh("ir", "slopes.py:g", "--pass", "early-dead-code").out


def test_ir_prints_a_heading_for_each_pass_that_changed_a_function(sh: Shell):
    sh.write("slopes.py", SLOPES)
    out = sh("ir", "slopes.py:g", "--after-each").out
    found = [line.removeprefix("# value_and_grad(f) ") for line in out.splitlines() if "value_and_grad(f) " in line]
    assert found[:3] == ["as traced", "after early-dead-code", "after fuse-loops"]
    assert "after unroll" not in out, "50 iterations stay a loop, so the pass changed nothing"


def test_ir_tells_of_each_pass_from_the_trace_on(sh: Shell):
    sh.write("slopes.py", SLOPES.replace("rose.sum(", "rose.sum(x * y + x) + rose.sum("))
    told = [line[2:] for line in sh("ir", "slopes.py:g", "--after-each").out.splitlines() if line.startswith("# ")]
    assert told[:5] == [
        "f as traced", "f after fuse-maps", "f.jvp after jvp", "value_and_grad(f) as traced",
        "value_and_grad(f) after early-dead-code",
    ]  # fmt: skip
    apart = sh("ir", "slopes.py:g", "--after-each", "--without", "fuse-maps").out
    assert "after fuse-maps" not in apart


def test_ir_after_a_pass_before_derivation(sh: Shell):
    sh.write("slopes.py", SLOPES.replace("rose.sum(", "rose.sum(x * y + x) + rose.sum("))
    fused = sh("ir", "slopes.py:f", "--pass", "fuse-maps").out
    assert fused.count("[for ") == 2
    assert sh("ir", "slopes.py:f", "--without", "fuse-maps", "--pass", "live-parts").out.count("[for ") == 4


def test_ir_leaves_passes_and_rules_out(sh: Shell):
    sh.write("slopes.py", SLOPES)
    sh.write("calls.py", SLOPES.replace("(x[i] - y[i]) ** 2", "h(x[i], y[i])").replace("@rose.fn\n", SQUARE, 1))
    assert "h.jvp.bwd(" not in sh("ir", "calls.py:g", "--pass", "optimise").out
    assert "h.jvp.bwd(" in sh("ir", "calls.py:g", "--without", "inline").out
    fused = sh("ir", "slopes.py:g", "--without", "fuse-loops", "--without", "recompute", "--after-each").out
    assert "after fuse-loops" not in fused


SQUARE = """@rose.fn
def h(x: Real, y: Real) -> Real:
    return (x - y) ** 2

@rose.fn
"""
OF_WHILE_LOOPS = ("split-states", "hoist-from-while")  # they do not run where there is none


def test_ir_says_how_long_each_pass_took(sh: Shell):
    sh.write("slopes.py", SLOPES)
    head, *rows = sh("ir", "slopes.py:g", "--time-passes", "--without", "schedule").out.splitlines()
    assert head.split() == ["pass", "ms", "share"]
    early = ["load", "trace", "live-parts", "jvp", "unzip", "sweep"]
    late = [name for name in PASSES[PASSES.index("early-dead-code") :] if name not in ("schedule", *OF_WHILE_LOOPS)]
    ran = [row.split()[0] for row in rows]
    assert {*ran} == {*early, *late, "lower", "encode", "other"}
    assert ran[-3:] == ["lower", "encode", "other"]
    assert [name for name in ran if name in early] == early
    assert abs(sum([int(row.split()[2].rstrip("%")) for row in rows]) - 100) < len(rows)


def test_ir_lists_the_passes_where_one_is_unknown(sh: Shell):
    said = [sh.fails(2, "ir", "model.py:loss", option, "nonsense") for option in ("--pass", "--without")]
    assert "'nonsense' is not one of 'compose', 'trace', 'jvp'," in said[0]
    assert "'nonsense' is not one of 'fuse-maps', 'live-parts'," in said[1]
    wrong = sh.fails(2, "ir", "model.py:loss", "--pass", "jvp", "--after-each")
    assert wrong.startswith(
        "jvp is not a pass of the optimiser: ask for --pass optimise, or fuse-maps, live-parts, write-out, early-dead"
    )


@pytest.mark.slow
def test_ir_of_a_deep_chain_of_calls(sh: Shell):
    deep = "    f = (lambda g: rose.fn([rose.Real], rose.Real)(lambda x: g(x) * x))(f)\n    f.func\n"
    sh.write("deep.py", f"import rose\nf = rose.fn([rose.Real], rose.Real)(lambda x: x)\nfor _ in range(600):\n{deep}")
    for stage in ("trace", "jvp", "transpose", "optimise", "wasm"):
        assert sh("ir", "deep.py:f", "--pass", stage).code == 0


# ops


def test_ops_lists_every_name_of_arrays(sh: Shell):
    lines = sh("ops").out.partition("\n\n")[2].splitlines()[1:]
    assert [line.split()[0] for line in lines] == [row.name for row in VOCABULARY]
    assert all(line.endswith(row.doc) for line, row in zip(lines, VOCABULARY, strict=True))


def test_ops_lists_every_row_of_the_table(sh: Shell):
    code, out, err = sh("ops")
    assert (code, err) == (0, "")
    head, *lines = out.partition("\n\n")[0].splitlines()
    assert head.split() == ["operation", "derivative", "WebAssembly", "what", "it", "is"]
    assert sorted(line.split()[0] for line in lines) == sorted(ir.OPS)
    kinds = {line.split()[0]: line.split()[1] for line in lines}
    assert {kinds[name] for name in ("neg", "add", "sub", "mul", "div", "select")} == {"linear"}
    assert [kinds[name] for name in ("sqrt", "floor", "lt", "for")] == ["yes", "flat", "flat", "structure"]
    for line in lines:
        op = ir.OPS[line.split()[0]]
        assert line.endswith(f"  {op.doc}")
        assert f" {op.wasm} " in line
    assert len({line.index(ir.OPS[line.split()[0]].doc) for line in lines}) == 1  # in columns


# in a process of its own


def process(*args: str, cwd: Path, **env: str) -> Done:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "rose", *args],
        cwd=cwd, env={**os.environ, "PYTHONPATH": str(ROOT), **env}, capture_output=True, text=True,
        **INTERRUPTIBLE,
    )  # fmt: skip
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.mark.slow
def test_python_m_rose_is_rose(sh: Shell):
    assert process("run", "model.py:loss", "2", "3", cwd=sh.folder) == (0, "7.0\n", "")
    assert process("compile", "model.py", "-o", "out", "-q", "--grad", cwd=sh.folder) == (0, "", "")
    assert names_in(sh.folder / "out") == ["loss", "norm", "swapped", "opposite", "grad_loss", "grad_norm"]
    assert process("nonsense", cwd=sh.folder).code == 2
    wrong = process("ir", "wrong.py:branching", cwd=sh.folder)
    assert wrong.code == 1
    assert wrong.err.startswith("Error: TypeMismatch: a traced Bool ")
    assert process("--version", cwd=sh.folder).out.startswith("rose")


@pytest.mark.slow
def test_what_is_said_is_plain_where_there_is_no_terminal(sh: Shell):
    for args in (["compile", "model.py", "-o", "out", "-v"], ["ops"], ["--help"], ["run", "wrong.py:branching", "1"]):
        done = process(*args, cwd=sh.folder, TERM="xterm-256color", COLORTERM="truecolor")
        assert "\x1b" not in done.out + done.err


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals")
def test_no_color_is_plain_in_a_terminal_too(sh: Shell):
    plain = in_terminal("compile", "model.py", "-o", "out", cwd=sh.folder, NO_COLOR="1")
    styled = in_terminal("compile", "model.py", "-o", "other", cwd=sh.folder)
    assert "bytes" in plain
    assert "\x1b" not in plain
    assert "\x1b" in styled


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals")
def test_a_terminal_shows_how_far_it_is(sh: Shell):
    shown = in_terminal("compile", "model.py:loss", "--grad", "-o", "out", cwd=sh.folder)
    assert all(stage in shown for stage in ("trace", "derive", "optimise", "lower", "/"))
    quiet = in_terminal("compile", "model.py:loss", "--grad", "-o", "other", "-q", cwd=sh.folder)
    assert quiet == ""
    piped = process("compile", "model.py:loss", "--grad", "-o", "third", cwd=sh.folder)
    assert "lower" not in piped.out + piped.err


def in_terminal(*args: str, cwd: Path, **env: str) -> str:
    """What appears in a terminal."""
    import pty

    ours, theirs = pty.openpty()
    around = {k: x for k, x in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "CI")}
    around |= {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **env}
    with subprocess.Popen(
        [sys.executable, "-m", "rose", *args], cwd=cwd, env=around, stdin=theirs, stdout=theirs, stderr=theirs
    ) as running:
        os.close(theirs)
        said = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # Linux says so at the end
                piece = b""
            if not piece:
                break
            said += piece
        assert running.wait() == 0, said
    os.close(ours)
    return said.decode()


# programs that are text

TEXT = """
def sum<n: Index>(v: [n]Real): Real = fst (accum a from 0.0 in [for i: n, a += v[i]])

def square(x: Real): Real = x * x
def host(x: Real): Real = opaque
def mean(v: [4]Real): Real = sum(v) / 4
def add(a: &Real, x: Real): () = a += x
"""


def test_a_text_runs(sh: Shell):
    sh.write("text.rose", TEXT)
    assert sh("run", "text.rose:square", "3").out == "9.0\n"
    assert sh("run", "text.rose:mean", "[[1, 2, 3, 6]]").out == "3.0\n"
    assert sh("run", "text.rose:sum<3>", "[[1, 2, 3]]").out == "6.0\n"


def test_a_text_compiles(sh: Shell):
    sh.write("text.rose", TEXT)
    made = sh("compile", "text.rose", "--grad", "--json", "-o", "out")
    assert json.loads(made.out)["functions"] == ["square", "mean", "grad_square", "grad_mean"]
    assert (sh.folder / "out" / "text.wasm").is_file()


def test_the_ir_of_a_text(sh: Shell):
    sh.write("text.rose", TEXT)
    assert sh("ir", "text.rose:square").out == "def square(x: Real): Real =\n  let x0: Real = x * x in\n  x0\n"
    assert "def square.jvp.bwd(" in sh("ir", "text.rose:square", "--pass", "transpose").out
    other = sh.write("other.rose", sh("ir", "text.rose:mean").out)
    assert sh("ir", "other.rose:mean").out == other.read_text()


def test_graphs(sh: Shell):
    sh.write("text.rose", TEXT)
    assert sh("ir", "text.rose:mean", "--dot").out.startswith("digraph rose {\n")
    picture = sh("ir", "text.rose:mean", "--pass", "jvp", "--svg").out
    assert picture.startswith("<svg ") and "def sum_4.jvp" in picture
    assert "digraph" in sh("ir", "model.py:loss", "--pass", "transpose", "--dot").out
    assert "WebAssembly is not a graph" in sh.fails(2, "ir", "text.rose:mean", "--pass", "wasm", "--svg")


def test_a_wrong_text(sh: Shell):
    sh.write("text.rose", "def f(x: Real): Real = x + y\n")
    assert sh.fails(1, "run", "text.rose:f", "1") == (
        "UnknownName: there is no value y\n  at text.rose:1\n"
        "    def f(x: Real): Real = x + y\n                               ^\n"
        "  hint: define it with a let before it\n"
    )
    (sh.folder / "text.rose").write_bytes(b"def f(x: Real): Real = \xff")
    assert "text.rose is not UTF-8 text: invalid start byte at byte 23" in sh.fails(1, "run", "text.rose:f", "1")


def test_a_function_that_a_text_does_not_have(sh: Shell):
    sh.write("text.rose", TEXT)
    for name in ("nothing", "nothing<3>"):
        said = sh.fails(2, "run", f"text.rose:{name}", "1")
        assert f"text.rose has no function {name}; it has sum, square, host, mean, add" in said
    assert "name one function" in sh.fails(2, "ir", "text.rose")
    sh.write("refs.rose", "def add(a: &Real, x: Real): () = a += x\n")
    assert "no function that can be called from outside" in sh.fails(1, "compile", "refs.rose", "-o", "out")
    assert "there is no file no.rose" in sh.fails(2, "compile", "no.rose", "-o", "out")
