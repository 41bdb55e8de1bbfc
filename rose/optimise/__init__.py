"""Optimisation: passes over functions of the IR that make them smaller or faster, and keep every bit.

Read `pipeline.py` first: it is the list of the passes, in order, with the driver that runs them; `instruments.py` is
the door through which each goes, to be left out, timed, printed and verified. Then `rewriter.py`, on which all passes
that copy a function stand; then any pass. `costs.py` has the limits of all.

- Whole functions: `inlining`, `outlining` (and lambda lifting), `dead_arguments`.
- What does not change in a loop: `invariants` finds it, `staging` cuts a function in two by it; on these stand
  `code_motion` and `loop_distribution`, before derivation, and `while_hoisting`.
- Loops: `loop_fusion`, `interchange`, `unrolling`, `unroll_and_jam`, `recomputation`.
- Arrays: `map_fusion`, which runs when a trace ends, before anything is derived.
- While loops and branches: `state_splitting` (numbers in the place of short aggregates); `parts`.
- Accumulators: `sum_forwarding`, `scalar_replacement`.
- Instructions: `dead_code`, `if_conversion` and its reverse, `branching`, `negations`, `scheduling`, `early_reads`.
  Common subexpressions are eliminated, and operations simplified, by `Builder.emit` whenever a function is written
  again.
- `lanes` makes the function of several elements of a batch of that of one, when `map` asks for it.
- `values` looks at each step, if `ROSE_CHECK=values` asks for it: the interpreter runs functions `alone`.
- `single_precision` is not an optimisation, but a copy over 32-bit numbers; and `zeros` is run only if numbers are said
  to be finite, as it changes bits.

The contract: what comes out has the bits of what went in, zeros with their signs included; a pass returns a new
function, or the one that it was given, and edits in place only what the same pipeline made; no pass recurses over
operands or into callees; `pipeline.py` says for which program a pass exists, and `python -m benchmarks.passes` what it
brings there: the instructions executed without it, in multiples.
"""
