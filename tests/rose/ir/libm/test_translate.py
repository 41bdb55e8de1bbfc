"""Functions of the library as text of Python."""

import ast
from itertools import pairwise

from rose.ir.libm import function
from rose.ir.libm.library import both, library
from rose.ir.libm.translate import name_of, translate


def test_a_name_of_the_library_is_a_name_of_python():
    assert name_of("__rem_pio2.large").isidentifier()


def test_a_function_is_one_of_python_with_as_many_parameters():
    made = library()
    address = dict.fromkeys([*made.data, ""], 1024)
    f = made.functions["fabs"] if "fabs" in made.functions else made.functions["sin"]
    (definition,) = ast.parse(translate(f, made, address)).body
    assert isinstance(definition, ast.FunctionDef) and definition.name == name_of(f.name)
    assert len([a for a in definition.args.args if a.arg.startswith("l")]) == len(f.params)


def test_a_function_of_a_hundred_blocks_one_in_another_is_one_of_pieces():
    made = both()
    text = translate(made.functions["Faddeeva.erfcx_y100"], made, dict.fromkeys([*made.data, ""], 1024))
    assert text.count("while True") == 1 and "if go < " in text
    ast.parse(text)


def test_each_of_its_pieces_gives_a_number():
    erfcx = function("special_erfcx")
    values = [erfcx(0.02 * k) for k in range(2000)]
    assert all([0.0 < y < x <= 1.0 for x, y in pairwise(values)])
