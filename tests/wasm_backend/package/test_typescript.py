"""The TypeScript declarations of a package."""

import dataclasses
from typing import Any, NamedTuple

import pytest
from handwritten_package import ADD, LINE, SAME, declarations, mapping, of, opaque, struct

from rose.ir.forms import Form
from rose.ir.types import Bool, Fin, Real, Single, Tan, Tuple, Type, Unit, Vec
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
        (Vec(3, Real), "ArrayLike<number>", "Float64s"),
        (Single, "number", "number"),
        (Vec(3, Single), "ArrayLike<number>", "Float32s"),
        (Vec(3, Fin(2)), "ArrayLike<number>", "Uint32s"),
        (Vec(3, Bool), "ArrayLike<boolean>", "boolean[]"),
        (Vec(3, Vec(2, Real)), "ArrayLike<ArrayLike<number>> | Float64Array", "Float64s[]"),
        (Tuple((Real, Bool), None), "readonly [number, boolean]", "[number, boolean]"),
        (Tuple((), None), "readonly []", "[]"),
        (struct("Empty"), "object", "object"),
        (
            mapping(b0=Real, b=Vec(2, Real)),
            "{ readonly b0: number; readonly b: ArrayLike<number> }",
            "{ b0: number; b: Float64s }",
        ),
        (Vec(2, mapping(x=Real)), "ArrayLike<{ readonly x: number }> | Float64Array", "{ x: number }[]"),
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
    assert types.of(Vec(3, segment), argument=True) == "ArrayLike<SegmentLike> | Float64Array"
    assert types.of(segment, argument=False) == "Segment"
    assert types.of(pair, argument=True) == types.of(pair, argument=False) == "Pair"
    assert types.interfaces == [
        "export interface Pair {\n  x: number;\n  y: number;\n}\n",
        "/** Where a line begins, and where it goes. */\n"
        "export interface SegmentLike {\n  readonly at: Pair;\n  readonly along: ArrayLike<number>;\n}\n",
        "/** Where a line begins, and where it goes. */\n"
        "export interface Segment {\n  at: Pair;\n  along: Float64s;\n}\n",
    ]


def test_interfaces_of_the_same_name_are_told_apart():
    types = Types()
    found = [types.of(struct(name, x=Real), argument=False) for name in ("P", "Source", "Float64Array", "class", "a b")]
    assert found == ["P", "Source2", "Float64Array2", "class2", "{ x: number }"]
    assert types.of(struct("P", y=Real), argument=False) == "P2"


def test_interfaces_of_other_sizes_are_one():
    types = Types()
    assert [types.of(struct("P", x=Vec(n, Real)), argument=False) for n in (2, 3)] == ["P", "P"]
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
  readonly b: ArrayLike<number>;
}

export interface Line {
  b0: number;
  b: Float64s;
}

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
