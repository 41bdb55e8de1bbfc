"""Functions of the library as text of Python."""

import ast

from rose.ir.libm.library import library
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
