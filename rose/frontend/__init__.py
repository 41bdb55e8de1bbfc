"""The front end: Python functions in, functions of the IR out, by tracing.

A user's function runs once, on traced values. `annotations` reads the types of its parameters, `tracing` records its
body in a `Builder`, `operators` and `language/` emit the instructions, and `function` puts it all into an `Fn`.

Read in this order:

    annotations      types as a user writes them; `as_type`
    typed            the types in signatures, for readers and type checkers
    operators        Python's operators on traced values: overload resolution
    values           conversion of Python values to traced values
    duals            values with tangents, for derivative rules
    signatures       location, parameters and types of a Python function
    tracing          lock, threads, recording, binding of arguments
    eager            a builder that evaluates in the place of recording
    function         `Fn`, `Opaque`: tracing when needed, calls inside and outside of traces
    any_size         functions with a `rose.dim` in their types: one instance for each size
    unrolling        the warning of a loop of Python's that traces many array operations
    arrays/          arithmetic, broadcasting and indexing of vectors, as NumPy's; NumPy's functions of elements
    language/        loops, accumulators, branches, linear algebra, debugging: the functions of the language
    syntax/          `@fn(syntax=True)`: plain `if`, `while` and `for` on traced values
    text_programs    `rose.parse`
    arguments        NumPy's arguments: what is taken, what may say one thing, and why
    vocabulary       the table of the names of arrays: NumPy's functions on traced values, and methods
    meanings         the meaning of all that is written of a value, for `ir.hooks`
    decorators       `@fn`, `@opaque`

Terms. A *trace* is one recording of a function. A *traced value* is an instruction with its result, without a number.
A *host value* is a plain Python value, known while tracing: a constant of the program. *Captured* values are a nested
function's free variables. The *view* of a value is the object that its user sees: a struct, `None`, or the value.

Contract. A user's mistake is a `RoseError` at the user's expression. A function is traced once, by one thread at a
time. The front end does not know the back end, on which calls outside of traces run, nor `ir.value` Python's operators:
`ir.hooks` leads to both.
"""
