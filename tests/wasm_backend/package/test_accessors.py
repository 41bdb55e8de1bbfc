"""Accessors in JavaScript: what is written for a type."""

import pytest

from wasm_backend.package.accessors import Accessors, Address, filled, flat_kind, key, literal
from wasm_backend.package.accessors import Path as ValuePath

REAL = {"kind": "real"}
POINT = {"kind": "struct", "name": "P", "fields": [["x", 0, REAL], ["y", 8, REAL]]}


def vec(size: int, elem: object = REAL, stride: int = 8) -> dict[str, object]:
    return {"kind": "vec", "size": size, "stride": stride, "elem": elem}


def test_a_struct_is_written_in_a_straight_line_and_read_as_a_literal():
    a = Accessors([POINT], [POINT])
    put = a.put(POINT, "a0", Address("", 16), ValuePath("", "f: p"))
    assert put == 'const v1=object(a0,"f: p");F[2]=number(v1.x,q,"f: p.x");F[3]=number(v1.y,q,"f: p.y");'
    assert a.get(POINT, Address("", 32)) == "{x:F[4],y:F[5]}"
    assert (list(a.uses), a.views, a.text) == (["object", "number"], {"F"}, [])


def test_a_vector_of_structs_is_a_loop_that_functions_share():
    a, t = Accessors([], []), vec(3, POINT, 16)
    puts = [a.put(t, x, Address("", at), ValuePath("", "f: p")) for x, at in (("a0", 16), ("a1", 64))]
    assert puts == ['w0(a0,16,"f: p");', 'w0(a1,64,"f: p");']
    assert len(a.text) == 1
    assert "flat(F,x,(a>>>3),6,k)" in a.text[0]


def test_names_and_text_are_quoted_where_they_must():
    assert [key(k) for k in ("x", "a b", "__proto__")] == ["x", '"a b"', '["__proto__"]']
    assert literal("</script>") == '"\\u003c/script>"'  # which can stand in a page


@pytest.mark.parametrize(
    ("t", "flat", "out"),
    [
        (vec(3), None, "real"),
        (vec(2, vec(3), 24), "real", "real"),
        (vec(2, POINT, 16), "real", "real"),
        (vec(2, {"kind": "bool"}, 1), None, None),
        (vec(2, vec(2, {"kind": "bool"}, 1), 2), None, None),
        (vec(2, {"kind": "tuple", "items": [[0, REAL], [8, {"kind": "bool"}]]}, 16), None, None),
        (POINT, None, None),
    ],
)
def test_what_may_be_flat(t: dict[str, object], flat: str | None, out: str | None):
    assert (flat_kind(t), filled(t)) == (flat, out)


def test_a_field_that_is_left_out_is_what_its_class_gives():
    a, t = Accessors([], []), {**POINT, "defaults": {"y": "0.5"}}
    text = a.put(t, "a0", Address("", 16), ValuePath("", "f: p"))
    assert "=number(v1.x,q," in text
    assert "=number(v1.y===undefined?0.5:v1.y,q," in text
