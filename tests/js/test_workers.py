"""Packages with Workers and `dispose`, in Node, Bun and Deno: the tries of `workers.mjs`."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from mapped import asked, moved, root, slope, total, wave
from paths import TESTS

import rose
from rose import Real, fn
from tests.js.test_packages import no_node
from wasm_backend.package.javascript import source

pytestmark = pytest.mark.slow
THEIRS = "dispose", "thread", "pool", "remote", "worker"  # the scripts of the runtime
TRIES = TESTS / "js" / "workers.mjs"


@fn
def endless(x: Real) -> Real:
    return rose.while_loop(lambda s: s > -x, lambda s: s / 2 + x, x)


@fn
def printed(x: Real) -> Real:
    rose.print("x = {}", x)
    return x


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    functions = {"wave": wave, "slope": slope, "moved": moved, "root": root, "endless": endless}
    functions |= {"asked": asked, "printed": printed, "total": total}
    out = tmp_path_factory.mktemp("workers") / "made"
    rose.compile(functions, dynamic=True).save(out, map=True, workers=True, dispose=True)
    return out


@pytest.mark.parametrize("file", ["index.js", "inline.js"])
@pytest.mark.parametrize("host", ["node", "bun", "deno run -A"])
def test_workers(package: Path, host: str, file: str):
    command, *options = host.split()
    if why := no_node() if command == "node" else shutil.which(command) is None and f"{command} is not installed":
        pytest.skip(why)
    done = subprocess.run(
        [command, *options, TRIES, package / file], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "dispose drops the memory"


def test_require_gives_workers_too(package: Path):
    if why := no_node():
        pytest.skip(why)
    (package / "page.cjs").write_text(
        'require("./inline.js").remote().then((m) => m.root(4, 1)).then(console.log);'  # and then the process ends
    )
    command = ["node", "--no-warnings", "--experimental-require-module", package / "page.cjs"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "3\n"), done.stderr


def test_init_gives_another_model_after_dispose(tmp_path: Path):
    if why := no_node():
        pytest.skip(why)
    rose.compile({"root": root}).save(tmp_path / "made", dispose=True)
    (tmp_path / "page.mjs").write_text(
        'import init from "./made/index.js";\n'
        "const [first, same] = [await init(), await init()];\n"
        "first.dispose();\n"
        "console.log(first === same, (await init()).root(4, 1), first.dispose === first[Symbol.dispose]);\n"
    )
    done = subprocess.run(["node", tmp_path / "page.mjs"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "true 3 true\n"), done.stderr


@pytest.mark.parametrize(("name", "option"), [("terminate", "workers"), ("dispose", "dispose")])
def test_a_name_that_is_taken(name: str, option: str):
    with pytest.raises(rose.RoseError, match=f"a function of a package cannot be called {name}"):
        rose.compile({name: root}).files("made", **{option: True})


def test_only_packages_that_are_asked_have_the_files():
    files = rose.compile({"root": root, "asked": asked, "printed": printed, "moved": moved}).files("made", map=True)
    assert "worker.js" not in files
    said = b"".join([text for file, text in files.items() if file.endswith((".js", ".d.ts"))]).decode()
    assert not any(word in said for word in ("Worker(", "dispose", "remote"))
    theirs = "".join([source(f"rose-{file}.js") for file in THEIRS])
    assert set(re.findall(r"^const (\w+)", said, re.M)).isdisjoint(
        re.findall(r"^(?:export )?const (\w+)", theirs, re.M)
    )
