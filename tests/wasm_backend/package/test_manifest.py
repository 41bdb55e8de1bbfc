"""The `package.json`: names, versions, and which file each kind of host imports."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from handwritten_package import ADD, FILES, MODULE, SAME, lowered, message, tree, write_package

from rose.errors import RoseError
from wasm_backend.package.files import About, package_files


def manifest(name: str = "line", inline: bool = False, **about: Any) -> dict[str, Any]:
    return json.loads(package_files(MODULE, name, About(**about), inline=inline)["package.json"])


def test_the_manifest():
    about: Any = {"docs": {"same": "A line,\nas it is.\n\nNo more."}, "version": "1.2.0", "licence": "MIT"}
    assert manifest("My_Line", **about) == {
        "name": "my_line",
        "version": "1.2.0",
        "description": "A line, as it is.",
        "keywords": ["derivatives", "rose", "webassembly"],
        "license": "MIT",
        "type": "module",
        "sideEffects": False,
        "main": "./index.js",
        "types": "./index.d.ts",
        "exports": {
            ".": {
                "types": "./index.d.ts",
                "workerd": "./workerd.js",
                **dict.fromkeys(["node", "edge-light", "deno", "bun"], "./inline.js"),
                "default": "./index.js",
            },
            "./inline": {"types": "./inline.d.ts", "workerd": "./workerd.js", "default": "./inline.js"},
            "./My_Line.wasm": "./My_Line.wasm",
            "./My_Line.json": "./My_Line.json",
            "./package.json": "./package.json",
        },
        "files": [k.replace("line.", "My_Line.") if k[:5] == "line." else k for k in FILES if k != "package.json"],
        "engines": {"node": ">=18"},
    }


def test_the_first_condition_that_fits_is_taken():
    conditions = list(manifest()["exports"]["."])
    assert conditions[0] == "types"
    assert conditions.index("workerd") < conditions.index("node")  # wrangler has both
    assert conditions[-1] == "default"


def test_what_is_not_known_is_left_out():
    assert not manifest().keys() & {"description", "license"}


@pytest.mark.parametrize(
    ("name", "npm", "stem"),
    [
        ("a.b", "a.b", "a.b"),
        ("größe", "gr-e", "größe"),
        ("λ", "package", "λ"),
        ("_x_", "x", "_x_"),
        ("2d", "2d", "2d"),
        ("@me/line", "@me/line", "line"),
        ("@my.team-2/My_Line", "@my.team-2/my_line", "My_Line"),
    ],
)
def test_names_of_packages(name: str, npm: str, stem: str):
    files = package_files(MODULE, name)
    assert next(iter(files)) == f"{stem}.wasm"
    assert json.loads(files["package.json"])["name"] == npm
    assert f'new URL("./{stem}.wasm", import.meta.url)' in files["index.js"].decode()


@pytest.mark.parametrize(
    "name", ["", "..", ".a", "a b", "<lambda>", 'a"', "a\n", "-a", "a\\b", "a?b", "a%b", "@me/", "@me"]
)
def test_what_cannot_be_the_name_of_a_package(name: str, tmp_path: Path):
    with pytest.raises(RoseError) as e:
        write_package(MODULE, tmp_path / "out", name)
    assert message(e) == [
        f"{name!r} cannot be the name of a package: it is also the name of its files",
        "  hint: use letters, digits, and _ - . between them",
    ]
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("name", ["a/b", "@Me/line", "@/line", "../line", "/line", "@a/b/c", "@../line", "@ä/line"])
def test_what_cannot_be_the_scope_of_a_package(name: str, tmp_path: Path):
    with pytest.raises(RoseError) as e:
        write_package(MODULE, tmp_path / "out", name)
    assert message(e) == [
        f"{name!r} cannot be the name of a package: what is before the / is no scope",
        "  hint: write it as @me/line, with the scope in lower case",
    ]
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("name", ["Package", "@me/package"])
def test_the_manifest_keeps_its_name(name: str):
    with pytest.raises(RoseError, match=r"cannot be the name of a package: its package\.json would be overwritten"):
        package_files(MODULE, name)


def test_the_longest_name():
    assert len(manifest("a" * 214)["name"]) == 214
    with pytest.raises(RoseError, match="it has 215 characters, and npm allows 214\n  hint: shorten it"):
        package_files(MODULE, "a" * 215)


def test_a_version_that_is_not_given_is_that_of_the_bytes():
    same, other = package_files(lowered(ADD, SAME), "line"), package_files(lowered(ADD), "line")
    assert same["package.json"] == package_files(MODULE, "line")["package.json"]
    found = [json.loads(files["package.json"])["version"] for files in (same, other)]
    assert found[0] != found[1]
    assert all(re.fullmatch("0[.]0[.]0-[a-f][0-9a-f]{11}", x) for x in found)


@pytest.mark.parametrize("version", ["0.0.0", "1.2.3", "1.0.0-beta.1", "1.0.0-0a", "1.0.0+5", "10.20.30-x-y.7+a.b"])
def test_versions(version: str):
    assert manifest(version=version)["version"] == version


@pytest.mark.parametrize(
    "version", ["", "1", "1.2", "v1.2.3", "01.2.3", "1.2.3-01", "1.2.3-", "1.2.3\n", "1.2.3-ä", "^1.2.3"]
)
def test_what_is_not_a_version(version: str):
    with pytest.raises(RoseError) as e:
        manifest(version=version)
    assert message(e) == [
        f"{version!r} cannot be the version of a package: npm takes those of Semantic Versioning",
        "  hint: write three numbers, such as 1.2.0, or 1.2.0-beta.1",
    ]
