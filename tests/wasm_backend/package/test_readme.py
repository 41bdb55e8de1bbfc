"""The README of a package."""

import re

import pytest
from handwritten_package import ADD, MODULE, SAME, lowered, of, opaque

from rose.ir.types import Real
from wasm_backend.package.calls import Extras
from wasm_backend.package.files import About, package_files


def test_the_readme_has_calls_of_the_functions():
    text = package_files(lowered(SAME, ADD), "My_Line", About({"add": "The sum.\n\nOf two."}))["README.md"].decode()
    assert text.count("model.same({ b0: 1, b: [2, 3] })") == 5
    assert 'import init from "./my_line/index.js";' in text
    assert "- `add(x: Real, y: Real) -> Real`\n\n  ```text\n  The sum.\n\n  Of two.\n  ```\n" in text
    assert "script-src 'self' 'wasm-unsafe-eval'" in text
    odd = package_files(lowered(of("my f")), "line")["README.md"].decode()
    assert 'model["my f"]()' in odd
    hosted = package_files(lowered(ADD, imports=[opaque("pick", Real, x=Real)]), "line")["README.md"].decode()
    assert "  pick: (x) => { /* yours */ }," in hosted
    assert hosted.count("init(undefined, opaque)") == 5
    assert "line.html" not in odd
    remote = package_files(MODULE, "line", extras=Extras(workers=True))["README.md"].decode()
    assert "console.log(await model.add(1, 2));\nmodel.terminate();" in remote
    assert "`line.html` is one page" in package_files(MODULE, "line", html=True)["README.md"].decode()


HOSTILE = ["</script><script>alert(1)</script>", "# a heading", "```\nout", "````\nout\n```", "[a](javascript:b)", "`",
           "a\u2028# b", "    - c", "<!--", "{name}", "\r# d"]  # fmt: skip


@pytest.mark.parametrize("doc", HOSTILE)
def test_a_docstring_is_text_and_nothing_else(doc: str):
    text = package_files(MODULE, "line", About({"add": doc}))["README.md"].decode()
    plain = package_files(MODULE, "line", About({"add": "X"}))["README.md"].decode()
    inside = "\n".join([f"  {line}".rstrip() for line in doc.splitlines()])
    fence = max(["```", *re.findall("`+", doc)], key=len) + "`" * ("```" in doc)
    assert text == plain.replace("  ```text\n  X\n  ```", f"  {fence}text\n{inside}\n  {fence}")


@pytest.mark.parametrize(("name", "code"), [("a`b", "`` a`b() -> Unit ``"), ("a\n\n# b", "`a # b() -> Unit`")])
def test_a_name_stays_in_its_line(name: str, code: str):
    assert f"- {code}\n" in package_files(lowered(of(name)), "line")["README.md"].decode()
