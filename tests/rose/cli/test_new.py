"""`rose new`: the files of an app. That it builds and runs, `tests/bundlers/test_plugin.py` tests."""

import json
import runpy
from pathlib import Path

import pytest
from command_line import said

import rose
from rose.cli.new import PLUGIN, app


def test_the_files_of_an_app(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    folder = tmp_path / "My app"
    code, out, err = said(capsys, "new", folder)
    assert (code, err.strip()) == (0, f"cd {folder} && npm install && npm run dev")
    assert {Path(line).name for line in out.splitlines()} == {*app("x"), PLUGIN} == {p.name for p in folder.iterdir()}
    assert json.loads((folder / "package.json").read_text())["name"] == "my-app"
    assert "<title>My app</title>" in (folder / "index.html").read_text()
    functions = runpy.run_path(str(folder / "model.py"))
    assert rose.compile(functions["slope"])([1.0, 1.0])[0] == 0


def test_an_app_that_is_there_gets_the_plugin_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "main.js").write_text("mine")
    code, _, err = said(capsys, "new", tmp_path)
    assert code == 2 and "is not empty" in err and "--plugin" in err
    assert said(capsys, "new", tmp_path, "--plugin") == (0, f"{tmp_path / PLUGIN}\n", "")
    assert {p.name for p in tmp_path.iterdir()} == {"main.js", PLUGIN}
    assert said(capsys, "new", tmp_path, "--plugin")[0] in (0, 2)
