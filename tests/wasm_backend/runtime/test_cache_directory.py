"""The directory of the code cache: one of ours, private, or none."""

import os
import sys
from pathlib import Path

import pytest

from wasm_backend.runtime.cache_directory import MARKER, NAME, cache_directory, entries, is_off, is_private, place, read

pytestmark = pytest.mark.skipif(os.name != "posix", reason="elsewhere there is no cache")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("ROSE_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    return tmp_path


def is_used() -> bool:
    with cache_directory() as directory:
        return directory is not None


def test_the_directory_of_the_user_is_made(home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", "linux")
    assert is_used() and place() == home / ".cache" / NAME
    assert (home / ".cache" / NAME).stat().st_mode & 0o777 == 0o700
    assert [path.name for path in (home / ".cache").iterdir()] == [NAME]
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "other"))
    assert place() == home / "other" / NAME
    monkeypatch.setattr(sys, "platform", "darwin")
    assert place() == home / "Library" / "Caches" / NAME


def test_the_environment_names_another_directory_or_none(home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROSE_CACHE", str(home / "mine"))
    assert is_used() and place() == home / "mine" / NAME
    monkeypatch.setenv("ROSE_CACHE", "")
    assert not is_used() and place() is None


def test_there_is_none_in_a_page(home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", "emscripten")
    assert not is_used() and place() is None and not is_off()
    monkeypatch.setenv("ROSE_CACHE", "")
    assert is_off()


def test_a_directory_that_others_can_write_to_is_not_used(home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROSE_CACHE", str(home))
    assert is_used()
    (home / NAME).chmod(0o770)
    assert not is_private((home / NAME).stat()) and not is_used()


def test_a_directory_that_is_not_ours_is_not_used(home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROSE_CACHE", str(home))
    (home / NAME).mkdir(mode=0o700)
    assert not is_used() and [*(home / NAME).iterdir()] == []
    (home / NAME / MARKER).write_text("mine")
    assert not is_used() and (home / NAME / MARKER).read_text() == "mine"


def test_a_link_is_not_followed(home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROSE_CACHE", str(home / "one"))
    assert is_used()
    (home / "two").mkdir()
    (home / "two" / NAME).symlink_to(home / "one" / NAME)
    monkeypatch.setenv("ROSE_CACHE", str(home / "two"))
    assert not is_used()


def test_a_process_that_is_first_makes_the_directory(home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROSE_CACHE", str(home))
    assert is_used()
    before = (home / NAME).stat().st_ino
    monkeypatch.setattr(os.path, "lexists", lambda path: False)  # as if it came up in between
    assert is_used() and (home / NAME).stat().st_ino == before
    assert [path.name for path in home.iterdir()] == [NAME]


def test_a_directory_that_cannot_be_made_is_no_error(home: Path, monkeypatch: pytest.MonkeyPatch):
    (home / "file").write_text("")
    monkeypatch.setenv("ROSE_CACHE", str(home / "file" / "below"))
    assert not is_used()


def test_only_files_of_ours_are_found(home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROSE_CACHE", str(home))
    with cache_directory() as directory:
        assert directory is not None
        for name in ("a" * 64, "b" * 64, "thesis", "a" * 65):
            (home / NAME / name).write_text(name)
        os.utime(home / NAME / ("b" * 64), (1, 1))
        os.mkfifo(home / NAME / ("c" * 64))
        assert [entry.name for entry in entries(directory)] == ["b" * 64, "a" * 64]
        assert read(directory, "a" * 64) == b"a" * 64 and read(directory, "c" * 64) is None
