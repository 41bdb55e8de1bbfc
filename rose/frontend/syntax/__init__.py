"""`@fn(syntax=True)`: plain `if`, `while`, `for`, `and`, `or`, `not` and `x if c else y` on traced values.

Two phases. Before tracing, `source` parses the function, `converter` puts calls around its branches and loops, by
templates, with the live variables of `liveness`, and `source` compiles it again. While tracing, those calls reach
`runtime`, which records branches and loop bodies (`if_statement`, `loop_statements`) as `recorded_parts`.
`makers` is what a call of `np.array` and its kind calls.

Terms. A *part* is a branch, test or loop body that is being recorded. A variable is *live* if it may be read later,
and *late* if a function defined inside reads it, whenever that is called. A variable without a value is NOTHING.

Contract. Statements stay in the user's frame, at their own lines. A condition that is a Python bool is decided by
Python, and records nothing. What is not understood is an error at its line, before anything is traced.
"""
