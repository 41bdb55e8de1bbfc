"""Derivative passes, from a `Func` to a `Func`: JVP, unzip, transposition, linearisation."""
