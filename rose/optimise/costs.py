"""Costs: each limit of the optimiser, and of what is derived, once, with the measurement behind it.

A limit without a measurement was chosen: it lies far from where anything was seen to change, or nobody looked. What
an operation costs, in simple instructions, is in its row of the table: `Op.cost`. The limits of the back end are in
`wasm_backend/codegen/costs.py`.
"""

from __future__ import annotations

from ..ir.builder import LIBRARY

# What is computed again: operations of at most a few cycles each, which take no longer than to store a number and to
# read it. The same for map fusion, for reads of vectors that a loop has just made, and for what is not put on a tape.
RECOMPUTED_COST = 3
RECOMPUTED_INSTRUCTIONS = 12  # those that cost nothing included

# Numbers of a vector that is made beside the search for the largest of them, up to which each is masked: it stays in a
# register then, and what is read at an index does not. Measured: the nearest of 5 centres takes 0.7 times as long.
MASKED_ITEMS = 8

# Map fusion
FUSED_BLOCK_INSTRUCTIONS = 400  # a longer block has more numbers than there are registers
FUSED_COPIES_INSTRUCTIONS = 40  # that are written out for elements of literal indices

# Code motion before derivation, and out of while loops
UNSPLIT_ITERATIONS = 4  # for which no call is split. Measured: hand tracking would have 16 % more bytes, no faster
STAGED_COST = LIBRARY  # what an early stage hands on is worth as much
DISTRIBUTED_COST = 5  # that of a division: a number is stored, and read in each iteration of the nest
# The numbers of a vector that is made: half a megabyte, which second caches hold. It is read in order, in some cycles a
# number; and a module has the memory for as long as it is there.
DISTRIBUTED_NUMBERS = 1 << 16
WHILE_KEPT_NUMBERS = 16  # that are kept for a while loop: an engine has so many registers to spare
WHILE_KEPT_COST = 4  # what more of them must cost, each with what it is made of

# Outlining. Engines refuse functions of 50,000 locals or 7.6 MB, and compile long ones slowly
PIECE_INSTRUCTIONS = 1000
LONG_INSTRUCTIONS = 6 * PIECE_INSTRUCTIONS  # of a function that is cut into pieces
LONG_BLOCK_INSTRUCTIONS = 2 * PIECE_INSTRUCTIONS  # of a block in one that is

# Inlining
INLINED_INSTRUCTIONS = 30  # a function with no more is inlined in all that call it
# That of a function which is inlined where a loop calls it, as far as there is room. Measured when calls in while loops
# were taken away: GradBench's saddle point takes 1.2 to 2.4 times as long as C, and not 5.8; a short program with a
# loop that calls a function twice (examples/fit.py) has 1.42 times the bytes.
INLINED_LOOP_INSTRUCTIONS = 200
# That of one which a function calls that a loop calls, if all its calls are inlined. Measured: a step of Runge and
# Kutta in a scan, which calls a rate of 80 instructions four times, takes 0.60 of its time in both directions
INLINED_STEP_INSTRUCTIONS = 100
INLINED_GROWTH = 0.1  # of the instructions of a program, by which it may grow for that;
INLINED_ROOM = 400  # instructions by which a short one may
INLINED_LAYERS = 3  # how often a larger one is inlined again: else each function of a chain of calls becomes the whole

# If-conversion: a branch of which both sides are evaluated
# The cost of one side, with all iterations of its loops. Measured: the search of a saddle in 0.78 of the time
SELECTED_COST = 30
SELECTED_NUMBERS = 6  # of the result: an engine branches once for each that it selects
SELECTED_ELEMENTS = 8  # of a vector that are selected one by one, if they are numbers that are not in memory

# Several elements of a batch at once
LANES_FUNCTIONS = 60  # that are called, in one another at worst
LANES_SIDE = 60  # the cost of a side of a branch that is computed without a test whether some element takes it

# Branching, its reverse
BRANCHING_INSTRUCTIONS = 400  # of a block that is looked at: others are loops written out
BRANCHING_CONDITIONS = 6  # of a block for which a branch is planned, in each round
BRANCHING_ROUNDS = 2
BRANCHING_DEPTH = 4  # branches in one another
BRANCH_RESULTS = 12  # numbers that come out of a branch
BRANCH_SAVES_IN_LOOP = 4  # simple instructions that a branch must save in a loop;
BRANCH_SAVES = 16  # outside of loops it is run once, and takes some 50 bytes as it does inside
MERGED_INSTRUCTIONS = 24  # between two branches that become one, which are written into both sides
LOGIC_DEPTH = 6  # of logic that is looked through
LOGIC_COMPARISONS = 8  # of a condition

# Loop fusion
FUSED_LOOP_INSTRUCTIONS = 400  # of both loops, and of what lies between them
# The same where the second reads vectors of the first: the tape of a sum. Measured: the gradient of the likelihood of a
# tree takes 0.74 of its time with 8 leaves, 0.66 with 24, and 0.6 with 40 and 6,000 sites, whose tape had 29 MB.
FUSED_TAPE_INSTRUCTIONS = 16_000
# Bytes of what two loops with calls hand on, from which on they are one: the numbers are arguments then. Measured: both
# halves of a `cond` of 5,000 numbers (160 kB) take 0.84 of the time, those of one of 55 (9 kB) 1.15 times.
CACHED_BYTES = 32_768
# Rows of a matrix, from which on it pays to keep its product apart, for register blocks. Measured: the gradient of
# `eigh` at 128 rows takes 0.40 of its time, that of `svd` 0.53.
UNFUSED_PRODUCT_ROWS = 48
# With simd, instructions of a loop without a state, from which on it is worth a vector that is stored, and read again.
# Measured: the search for the nearest of 100 centres takes 0.7 times as long.
UNFUSED_SIMD_INSTRUCTIONS = 8

# Unrolling. Measured: least squares of 10 slopes takes 1.1 times the time of C, and 1.6 to 2.2 times as loops
UNROLLED_ITERATIONS = 16
UNROLLED_INSTRUCTIONS = 300  # of all iterations together
VECTORISED_ITERATIONS = 4  # of a loop from which on it is worth being vectorised
VECTORISED_SUMS = 16  # of a loop that is worth it inside of another one, too: a block of four rows and four columns
JAMMED_OPERATIONS = 12  # of an inner iteration that is done for four outer ones
JAMMED_INSTRUCTIONS = 64  # of an outer iteration that is written four times
JAMMED_AGAIN = 16  # instructions that a lane does again before its inner loop
BLOCKED_OPERATIONS = 4  # of an iteration that is done for a block: two products, and two choices of what is not taken
BLOCKED_ROWS = 8  # and columns, of a matrix that is made in blocks

# Interchange
LINE_NUMBERS = 8  # of a line of a cache
CACHE_PLACES = 64  # for lines of different addresses in a first cache, each of eight lines
# Of a loop over terms, and of the innermost. Measured: at 48 with simd the gradient of a product takes 0.88 of its
# time, at 32 1.0
INTERCHANGED_ITERATIONS = 48

# Scheduling
SCHEDULED_INSTRUCTIONS = 40  # the order of fewer an engine's registers do not notice

# Aggregates as numbers
REPLACED_NUMBERS = 16  # of an accumulator that is taken apart. Measured with unrolling, see there
SPLIT_ELEMENTS = 8  # numbers of a vector that has parts
SPLIT_PARTS = 64  # numbers and whole aggregates that a loop or a branch takes when its aggregates are split
FORWARDED_INSTRUCTIONS = 200  # that are looked at for others that add to the outer sum

# Dead arguments: the rest is left to later visits
DEMANDED_DEPTH = 16  # calls in one another that are asked at once;
DEMANDED_VISITS = 4  # and how often each is

# Derivatives
# Tapes lie in one another as the calls do. One in which many do is passed on as the only item of a stack: then it is
# neither copied nor taken apart by all those who call its function. So a chain of n calls costs n times one of them.
# And where functions are called twice by functions that are called twice, and so on, the type of a tape, which has a
# place for each path of calls, does not double with each of them. Measured: with 64, binomial checkpoints of a loop
# need a quarter of the memory or less, and derivatives of deep chains of calls take several times as long.
TAPE_DEPTH = 16
TAPE_PATHS = 32  # tapes in one another;
TAPE_SHARING = 4  # and, of more, paths of calls for each call
# Of a derivative that is written wherever it is called, when a function is swept. Measured: a sum of 1000 calls of four
# functions executes 0.76 of the instructions, in 0.78 of the bytes, that it does with calls of halves
SWEPT_INSTRUCTIONS = 60
SWEPT_DEPTH = 8  # calls within calls that are: each takes some frames of Python
PARTIAL_CELLS = 4096  # of a vector that are looked at, each with all reads of it
WRITTEN_OUT_COLUMNS = 16  # of a Jacobian that has code for what is not zero
WRITTEN_OUT_INSTRUCTIONS = 600  # of its function, without loops and calls
WRITTEN_OUT_SHARE = 0.4  # of the instructions of a full one. Measured: three diagonals of ten take 0.05 of the time

# The witness of `ROSE_CHECK=values`
WITNESSED_INSTRUCTIONS = 5_000  # that all inputs of a function may take in the interpreter, some 20 ms
WITNESSED_FIRST = 50_000  # that the first one alone may take
WITNESSED_NUMBERS = 20_000  # that a function may take or give
WITNESSED_DEPTH = 300  # types in one another
WITNESSED_ITEMS = 2  # of a stack
