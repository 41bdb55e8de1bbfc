"""Writing files into a directory: all of them, or none."""

import os
from pathlib import Path

import pytest
from handwritten_package import FILES, MODULE, message, tree, write_package

from rose.errors import RoseError
from wasm_backend.package.files import package_files


def test_directories_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write_package(MODULE, tmp_path / "a" / "b" / "c", "line")
    assert sorted(p.name for p in (tmp_path / "a" / "b" / "c").iterdir()) == sorted(FILES)
    monkeypatch.chdir(tmp_path)
    assert write_package(MODULE, Path("d"), "line")[0] == Path("d/line.wasm")
    write_package(MODULE, Path("."), "line")
    assert sorted(tree(tmp_path)) == sorted(
        [*FILES, "a", "a/b", "a/b/c", "d", *[f"{folder}/{file}" for folder in ("a/b/c", "d") for file in FILES]]
    )


def test_other_files_stay(tmp_path: Path):
    (tmp_path / "index.html").write_text("mine")
    write_package(MODULE, tmp_path, "line")
    assert sorted(tree(tmp_path)) == sorted([*FILES, "index.html"])
    assert (tmp_path / "index.html").read_text() == "mine"


def test_files_are_replaced_only_with_force(tmp_path: Path):
    (tmp_path / "index.js").write_text("mine")
    (tmp_path / "package.json").write_text("mine")
    before = tree(tmp_path)
    with pytest.raises(RoseError) as e:
        write_package(MODULE, tmp_path, "line")
    assert message(e) == [
        f"{tmp_path} already has index.js, package.json",
        "  hint: choose another directory, or replace them with force",
    ]
    assert tree(tmp_path) == before
    write_package(MODULE, tmp_path, "line", force=True)
    write_package(MODULE, tmp_path, "line", force=True)
    assert tree(tmp_path) == package_files(MODULE, "line")


def test_what_is_no_directory(tmp_path: Path):
    (tmp_path / "file").write_text("mine")
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(RoseError) as e:
            write_package(MODULE, out, "line", force=True)
        assert message(e) == [f"{tmp_path / 'file'} is not a directory", "  hint: choose a directory for the package"]
    (tmp_path / "index.js").mkdir()
    with pytest.raises(RoseError, match=r"index\.js is a directory\n  hint: choose another directory for the package$"):
        write_package(MODULE, tmp_path, "line", force=True)
    assert tree(tmp_path) == {"file": b"mine", "index.js": None}


def test_an_error_of_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(RoseError) as e:
        write_package(MODULE, tmp_path / "out", "line")
    assert message(e) == [
        f"cannot write {tmp_path / 'out'}: No space left on device",
        "  hint: choose a directory that you can write to",
    ]
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("step", ["write_bytes", "rename"])
@pytest.mark.parametrize("turns", range(5))
def test_an_interrupted_run_leaves_nothing(step: str, turns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    owner = Path if step == "write_bytes" else os
    interrupt(owner, step, turns if step == "write_bytes" else 0, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        write_package(MODULE, tmp_path / "a" / "out", "line")
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("turns", range(5))
def test_an_interrupted_run_puts_back_what_was_there(turns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for file in ("index.js", "package.json", "other"):
        (tmp_path / file).write_text(f"my {file}")
    before = tree(tmp_path)
    interrupt(os, "replace", turns, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        write_package(MODULE, tmp_path, "line", force=True)
    assert tree(tmp_path) == before


def interrupt(owner: object, name: str, turns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let one call of a function be interrupted, after so many that were not."""
    real, left = getattr(owner, name), [None] * turns

    def interrupted(*args: object, **kwargs: object) -> object:
        if left:
            left.pop()
            return real(*args, **kwargs)
        monkeypatch.setattr(owner, name, real)
        raise KeyboardInterrupt

    monkeypatch.setattr(owner, name, interrupted)
