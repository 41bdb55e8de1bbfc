"""Values of the host: plain Python in and out, the effects of running, and the interpreter, the meaning of the IR.

    marshal         arguments and results: from what a user passes to host values, and back, with errors
    argument_sizes  the dynamic sizes that a call determines, from the lengths of its arguments
    effects         printing, assertions, and the failures of a run
    docstring       what a docstring says of parameters and of the result
    evaluator       the one walk over functions, loops and calls, over a domain: what stands for a number
    interpreter     the domain of numbers, the meaning of the IR: slow and exact; every back end has the same bits
    differences     derivatives by differences of a function along a line
    comparisons     what was seen of the comparisons of a program, and arguments at which they flip

A *host value* is a float, a bool, an int for an index, None for a Unit, and a tuple of these for a vector, a tuple or a
struct. What a user passes and gets (lists, arrays, structs, dictionaries) is made from these in `marshal`, and nowhere
else. Nothing here knows of tracing or of WebAssembly.
"""
