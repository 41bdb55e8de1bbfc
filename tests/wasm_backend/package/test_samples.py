"""Sample arguments, as JavaScript."""

from handwritten_package import LINE, mapping, of

from rose.ir.types import Bool, Fin, Real, Tuple, Unit, Vec
from wasm_backend.package.samples import arguments, written


def test_values_to_call_a_function_with():
    given = of("f", Unit, x=Real, p=Bool, i=Fin(3), v=Vec(2, LINE), t=Tuple((Real, Unit), None), w=Vec(20, Real))
    assert [written(x) for _, _, x in arguments(given)] == [
        "1", "true", "0", "[{ b0: 2, b: [3, 4] }, { b0: 5, b: [6, 7] }]", "[8, undefined]",
        "Array.from({ length: 20 }, () => 9)",
    ]  # fmt: skip
    (found,) = arguments(of("f", Unit, v=Vec(9, mapping(**{"a b": Real}))))
    assert written(found[2]) == 'Array.from({ length: 9 }, () => ({ "a b": 1 }))'
