"""The TypeScript declarations of a package."""

import dataclasses
from typing import Any, NamedTuple

import pytest
from handwritten_package import ADD, LINE, SAME, declarations, mapping, of, opaque, struct

from rose.ir.forms import Form
from rose.ir.types import Bool, Complex, Fin, Real, Single, Tan, Tuple, Type, Unit, Vec
from wasm_backend.abi.signature import Signature, Slot
from wasm_backend.package.typescript import Types


@pytest.mark.parametrize(
    ("t", "given", "got"),
    [
        (Real, "number", "number"),
        (Tan, "number", "number"),
        (Bool, "boolean", "boolean"),
        (Unit, "undefined", "undefined"),
        (Fin(3), "number", "number"),
        (Vec(3, Real), "readonly [number, number, number] | Numbers", "Float64s & Of3"),
        (Vec(9, Real), "ArrayLike<number>", "Float64s"),
        (Vec(0, Real), "ArrayLike<number>", "Float64s"),
        (Single, "number", "number"),
        (Vec(1, Single), "readonly [number] | Float32Array", "Float32s & Of1"),
        (Vec(2, Fin(2)), "readonly [number, number] | Numbers", "Uint32s & Of2"),
        (Vec(2, Bool), "readonly [boolean, boolean]", "[boolean, boolean]"),
        (Vec(9, Bool), "ArrayLike<boolean>", "boolean[]"),
        (Vec(9, Vec(9, Real)), "ArrayLike<ArrayLike<number>> | Numbers", "Float64s[]"),
        (Vec(9, Vec(1, Single)), "ArrayLike<readonly [number] | Float32Array> | Float32Array", "(Float32s & Of1)[]"),
        (
            Vec(2, Vec(1, Real)),
            "readonly [readonly [number] | Numbers, readonly [number] | Numbers] | Numbers",
            "[Float64s & Of1, Float64s & Of1]",
        ),
        (Complex, "readonly [re: number, im: number] | Numbers", "Float64s & Of2"),
        (Tuple((Real, Bool), None), "readonly [number, boolean]", "[number, boolean]"),
        (Tuple((), None), "readonly []", "[]"),
        (struct("Empty"), "object", "object"),
        (
            mapping(b0=Real, b=Vec(2, Real)),
            "{ readonly b0: number; readonly b: readonly [number, number] | Numbers }",
            "{ b0: number; b: Float64s & Of2 }",
        ),
        (Vec(9, mapping(x=Real)), "ArrayLike<{ readonly x: number }> | Numbers", "{ x: number }[]"),
        (
            mapping(**dict.fromkeys(["a b", "new", "then", "__proto__", 'q"', "é", "0"], Real)),
            '{ readonly "a b": number; readonly "new": number; readonly then: number; readonly __proto__: number; '
            'readonly "q\\"": number; readonly "é": number; readonly "0": number }',
            '{ "a b": number; "new": number; then: number; __proto__: number; '
            '"q\\"": number; "é": number; "0": number }',
        ),
    ],
)
def test_types_given_and_got(t: Type, given: str, got: str):
    assert (Types().of(t, argument=True), Types().of(t, argument=False)) == (given, got)


class Pair(NamedTuple):
    x: float
    y: float


@dataclasses.dataclass
class Segment:
    """Where a line begins, and where it goes."""

    at: Any
    along: Any


def test_structs_are_interfaces():
    pair = Tuple((Real, Real), Form("Pair", ("x", "y"), list, Pair))
    segment = Tuple((pair, Vec(2, Real)), Form("Segment", ("at", "along"), list, Segment))
    types = Types()
    assert types.of(Vec(9, segment), argument=True) == "ArrayLike<SegmentLike> | Numbers"
    assert types.of(segment, argument=False) == "Segment"
    assert types.of(pair, argument=True) == types.of(pair, argument=False) == "Pair"
    assert types.interfaces == [
        "export interface Pair {\n  x: number;\n  y: number;\n}\n",
        "/** Where a line begins, and where it goes. */\n"
        "export interface SegmentLike {\n  readonly at: Pair;\n"
        "  readonly along: readonly [number, number] | Numbers;\n}\n",
        "/** Where a line begins, and where it goes. */\n"
        "export interface Segment {\n  at: Pair;\n  along: Float64s & Of2;\n}\n",
    ]


def test_interfaces_of_the_same_name_are_told_apart():
    types = Types()
    found = [types.of(struct(name, x=Real), argument=False) for name in ("P", "Source", "Float64Array", "class", "a b")]
    assert found == ["P", "Source2", "Float64Array2", "class2", "{ x: number }"]
    assert types.of(struct("P", y=Real), argument=False) == "P2"


def test_interfaces_of_other_sizes_are_one():
    types = Types()
    assert [types.of(struct("P", x=Vec(n, Real)), argument=False) for n in (20, 30)] == ["P", "P"]
    assert len(types.interfaces) == 1


def test_declarations():
    pick = opaque("pick", LINE, line=LINE, function=Fin(3))
    text = declarations(ADD, SAME, imports=[pick, opaque("console.log", Unit, x=Real)], add="The sum.", pick="Any.")
    assert text == (
        """\
// Made by Rose.

/** The functions of the module. */
export interface Functions {
  /**
   * The sum.
   *
   * In Python: `add(x: Real, y: Real) -> Real`
   */
  readonly add: Checked<(x: number, y: number) => number>;
  /** In Python: `same(line: Line) -> Line` */
  readonly same: Checked<(line: LineLike) => Line>;
}

/** A function that checks its arguments; its member `unchecked` does not check each number. */
export type Checked<F> = F & { readonly unchecked: F };

/** The functions that the module calls. One with a dotted name may be left out if JavaScript has it. */
export interface Opaque {
  /** Any. */
  readonly pick: (line: Line, function_: number) => LineLike;
  readonly "console.log"?: (x: number) => void;
}

export interface LineLike {
  readonly b0: number;
  readonly b: readonly [number, number] | Numbers;
}

export interface Line {
  b0: number;
  b: Float64s & Of2;
}

/** A typed array. */
type Numbers = ArrayBufferView & ArrayLike<number>;

/** 2 elements, by index. */
type Of2 = { readonly length: 2; 0: number; 1: number };

/** A typed array, as a copy: its `buffer` is an ArrayBuffer. */
type Float64s = ReturnType<typeof Float64Array.from>;

/** Sources of the module. */
export type Source = string | URL | Response | BufferSource | WebAssembly.Module;

/** Loads the functions, from ./line.wasm or another source. Each source is loaded once. */
export function init(source: Source | Promise<Source> | undefined, opaque: Opaque): Promise<Functions>;

/** Returns the functions at once, of a module or its bytes. */
export function initSync(source: BufferSource | WebAssembly.Module, opaque: Opaque): Functions;

/** Loads the module itself, once: it can be posted to a Worker, which passes it to `initSync`. */
export function load(source?: Source | Promise<Source>): Promise<WebAssembly.Module>;

export default init;
"""
    )


def test_what_need_not_be_given():
    assert "init(source?: Source | Promise<Source>): Promise<Functions>;" in declarations(ADD)
    log = declarations(ADD, imports=[opaque("Math.log", Real, x=Real)])
    assert "init(source?: Source | Promise<Source>, opaque?: Opaque): Promise<Functions>;" in log
    assert "initSync(source: BufferSource | WebAssembly.Module, opaque?: Opaque): Functions;" in log


def test_names_of_parameters():
    names = ["class", "class_", "yield", "x", "x_", "λ", "type", "not ok", "eval", ""]
    text = declarations(of("f", Unit, **dict.fromkeys(names, Real)))
    shown = ["class_", "class__", "yield_", "x", "x_", "λ", "type", "x7", "eval_", "x9"]
    assert f"readonly f: Checked<({', '.join(f'{name}: number' for name in shown)}) => void>;" in text
    assert "  readonly f: Checked<(x0: number, x1: number) => void>;\n" in declarations(
        Signature("f", (Slot("?", Real, None), Slot("x0 ", Real, None)), Slot("result", Unit, None))
    )


def test_names_of_functions():
    text = declarations(of("delete"), of("my func"), of("__proto__"), of("größe"), of("constructor"))
    for key in ['"delete"', '"my func"', "__proto__", '"größe"', "constructor"]:
        assert f"  readonly {key}: Checked<() => void>;\n" in text


def test_documentation():
    text = declarations(of("f"), of("g"), f="All.\n\n    Of it: */ x\n      y\n    ", g="")
    assert (
        "{\n  /**\n   * All.\n   *\n   * Of it: *\\/ x\n   *   y\n   *\n   * In Python: `f() -> Unit`\n   */\n"
        "  readonly f: Checked<() => void>;\n  /** In Python: `g() -> Unit` */\n  readonly g: Checked<() => void>;\n}"
    ) in text
    many = of("h", **{f"parameter_{k}": Real for k in range(20)})
    assert "/** One line. */\n  readonly h" in declarations(many, h="One line. ")  # and not all of it a second time
