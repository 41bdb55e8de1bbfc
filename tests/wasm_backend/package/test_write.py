"""Writing files into a directory: all of them, or none."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from handwritten_package import FILES, MODULE, SAME, lowered, message, tree, write_package

from rose.errors import RoseError
from wasm_backend.package.files import package_files
from wasm_backend.package.write import write_files


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
    write_package(lowered(SAME), tmp_path, "line")
    before = tree(tmp_path)
    with pytest.raises(RoseError) as e:
        write_package(MODULE, tmp_path, "line")
    assert message(e) == [
        f"{tmp_path} already has {', '.join(FILES)}",
        "  hint: choose another directory, or replace them: --force, in Python force=True",
    ]
    assert tree(tmp_path) == before
    write_package(MODULE, tmp_path, "line", force=True)
    write_package(MODULE, tmp_path, "line", force=True)
    assert tree(tmp_path) == package_files(MODULE, "line")


def test_another_package_in_the_same_directory_is_replaced_with_force(tmp_path: Path):
    write_package(lowered(SAME), tmp_path, "other")
    write_package(MODULE, tmp_path, "line", force=True)
    assert tree(tmp_path).items() >= package_files(MODULE, "line").items()


def test_a_package_leaves_no_file_of_an_earlier_one_of_its_name(tmp_path: Path):
    (tmp_path / "mine.wasm").write_text("mine")
    for inline in (False, True, False, True):
        write_package(MODULE, tmp_path, "line", inline=inline, force=True)
        assert tree(tmp_path) == {**package_files(MODULE, "line", inline=inline), "mine.wasm": b"mine"}


def test_an_edited_file_of_an_earlier_package_stays(tmp_path: Path):
    write_package(MODULE, tmp_path, "line")
    (tmp_path / "line.wasm").write_text("mine")
    write_package(MODULE, tmp_path, "line", inline=True, force=True)
    assert tree(tmp_path) == {**package_files(MODULE, "line", inline=True), "line.wasm": b"mine"}


@pytest.mark.parametrize("file", FILES)
def test_no_file_that_was_edited_is_replaced(tmp_path: Path, file: str):
    write_package(lowered(SAME), tmp_path, "line")
    (tmp_path / file).write_bytes((tmp_path / file).read_bytes().replace(b"e", b"o") + b" ")
    before = tree(tmp_path)
    with pytest.raises(RoseError, match=rf"^Rose did not write .*{file}.* in .*, or they were edited since\n"):
        write_package(MODULE, tmp_path, "line", force=True)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("kind", ["file", "link", "dangling link", "pipe"])
def test_no_file_of_the_user_is_replaced(tmp_path: Path, kind: str):
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "out").mkdir()
    at = tmp_path / "out" / "package.json"
    link: Callable[[Path], None] = lambda at: at.symlink_to(tmp_path / ("mine" if kind == "link" else "nothing"))
    {"file": lambda at: at.write_text("mine"), "pipe": os.mkfifo}.get(kind, link)(at)
    before = tree(tmp_path)
    with pytest.raises(RoseError, match=r"^Rose did not write package\.json in "):
        write_package(MODULE, tmp_path / "out", "line", force=True)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("name", ["", "a\0b"])
def test_what_is_no_name(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RoseError, match=r"is no name of a directory\n  hint: write \. for the current directory$"):
        write_files({"file": b""}, name, force=True)
    assert tree(tmp_path) == {}


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


@pytest.mark.parametrize("turns", range(3))
def test_an_interrupted_run_puts_back_what_was_removed(turns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write_package(MODULE, tmp_path, "line")
    before = tree(tmp_path)
    interrupt(Path, "unlink", turns, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        write_package(MODULE, tmp_path, "line", inline=True, force=True)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("turns", range(5))
def test_an_interrupted_run_puts_back_what_was_there(turns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write_package(lowered(SAME), tmp_path, "line")
    (tmp_path / "other").write_text("mine")
    (tmp_path / "inline.js").unlink()
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
