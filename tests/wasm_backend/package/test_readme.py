"""The README of a package."""

from handwritten_package import ADD, MODULE, SAME, lowered, of, opaque

from rose.ir.types import Real
from wasm_backend.package.files import About, package_files


def test_the_readme_has_calls_of_the_functions():
    text = package_files(lowered(SAME, ADD), "My_Line", About({"add": "The sum.\n\nOf two."}))["README.md"].decode()
    assert text.count("model.same({ b0: 1, b: [2, 3] })") == 5
    assert 'import init from "./my_line/index.js";' in text
    assert "- `add(x: Real, y: Real) -> Real`\n  The sum.\n\n  Of two.\n" in text
    assert "script-src 'self' 'wasm-unsafe-eval'" in text
    odd = package_files(lowered(of("my f")), "line")["README.md"].decode()
    assert 'model["my f"]()' in odd
    hosted = package_files(lowered(ADD, imports=[opaque("pick", Real, x=Real)]), "line")["README.md"].decode()
    assert "  pick: (x) => { /* yours */ }," in hosted
    assert hosted.count("init(undefined, opaque)") == 5
    assert "line.html" not in odd
    assert "`line.html` is one page" in package_files(MODULE, "line", html=True)["README.md"].decode()
