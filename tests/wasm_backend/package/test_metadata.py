"""`NAME.json`: the package is known by it, as long as nothing of it was edited."""

import json
from hashlib import sha256
from pathlib import Path

from handwritten_package import FILES, MODULE, write_package

from wasm_backend.package.metadata import as_json, regular, sealed, stale, unchanged


def test_short_data_stands_on_one_line():
    assert as_json({"a": [1, 2]}) == b'{"a": [1, 2]}\n'
    assert as_json({"a": ["x" * 60, "y" * 60]}).count(b"\n") == 6


def test_the_seal_is_the_hash_of_the_rest():
    content = sealed({"files": {}})
    assert json.loads(content)["seal"] == sha256(b'{"files": {}}\n').hexdigest()


def test_a_package_is_known_again(tmp_path: Path):
    write_package(MODULE, tmp_path, "line")
    known = unchanged(tmp_path)
    assert known == {(file, sha256((tmp_path / file).read_bytes()).hexdigest()) for file in FILES}


def test_a_package_with_other_metadata_is_not_known(tmp_path: Path):
    content = sealed({"name": "é", "files": {"a": {"bytes": 1, "sha256": "0"}}})
    hostile = [
        content.replace(b'"a"', b'"b"'), content + b" ", content.replace(b'"seal"', b'"sea1"'), b"", b"[" * 100_000,
        b"\xff", b"null", b'{"seal": 1}', b'{"files": "\\ud800", "seal": 1}', b"1" * 10_000,
    ]  # fmt: skip
    for k, bad in enumerate(hostile):
        (tmp_path / f"{k}.json").write_bytes(bad)
    assert unchanged(tmp_path) == set()
    (tmp_path / "line.json").write_bytes(content)
    assert len(unchanged(tmp_path)) == 2


def test_files_outside_of_the_directory_are_not_stale(tmp_path: Path):
    (tmp_path / "in").mkdir()
    about = {"sha256": sha256(b"x").hexdigest()}
    (tmp_path / "in" / "line.json").write_bytes(sealed({"files": dict.fromkeys(["../mine", "old", "edited"], about)}))
    for file, content in [("mine", b"x"), ("in/old", b"x"), ("in/edited", b"y")]:
        (tmp_path / file).write_bytes(content)
    assert stale({"line.json": b""}, tmp_path / "in") == ["old"]
    assert stale({"other.json": b""}, tmp_path / "in") == stale({"line.json": b"", "old": b""}, tmp_path / "in") == []


def test_only_regular_files_are_read(tmp_path: Path):
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("file")
    assert [regular(tmp_path / name) for name in ("file", "link", ".", "nothing")] == [b"x", None, None, None]
