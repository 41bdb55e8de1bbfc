"""The functions of the language, which a traced function calls: they emit instructions through the current builder.

Read `loops` first: `range` is a generator that opens and closes a loop of the IR. Then `accumulators` (sums that loops
add to), `select` (a choice of two values), `control` (`cond`, `while_loop`, `scan`: branches and loop bodies recorded
as functions, by lambda lifting), `vectors` (norms, written with these), `debugging` (`print`, `assert_`), `indices`
(a number as an index, checked by an `assert_`).

Each takes traced values, host values, or both, and gives views. Outside of a trace those that can answer at once do.
"""
