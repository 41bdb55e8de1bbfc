"""Costs: each limit of the back end once, with the measurement behind it. One without a measurement was chosen.

What WebAssembly and its engines refuse stands in `binary/encoder.py`; what a runtime must know, in `abi`.
"""

from __future__ import annotations

# Values on the stack, and in locals
STACK_DISTANCE = 30  # instructions from a number to where it is read: all that it is made of would be kept for so long
STACK_DEPTH = 20  # of an expression: it is written by recursion
PARAMETERS_IN_LOCALS = 200  # a function with more numbers among its parameters gets them in memory
PROMOTED_NUMBERS = 6  # of an element that are promoted: an engine has so many registers to spare
# Pointers of a loop: an engine has so many registers to spare. Measured, with sums of elements in locals: Rosenbrock's
# loop takes 1.2 to 1.4 times the time of C, and 1.5 to 1.7 times without them.
LOOP_POINTERS = 4
# Iterations of a loop for each of its pieces, in which no index goes round an end. Measured: a lattice of 17 by 17
# takes 0.92 of the time, and 0.94 with simd
PIECE_ITERATIONS = 5
# With simd, where a mask is what an engine takes for a division. Measured: a lattice of 32 by 32 takes 1.12 times as
# long in pieces of 11, a ring of 256 in pieces of 85 takes 0.70
PIECE_PAIRED_ITERATIONS = 20

# Memory
COPIED_BYTES = 64  # that are copied or cleared by single instructions
PATTERN_BYTES = 512  # of a literal that is looked at: the functions that write take up to 200
PATTERN_PIECES = 10_000  # of a module: engines take 100,000 segments of data

# Functions that are written where they are called. Measured when while loops and branches were: GradBench's saddle
# point takes 1.2 to 2.4 times the time of C, and 5.8 times with calls
PLACED_INSTRUCTIONS = 32  # of a branch, or of a part of one, that is written wherever it is called
PLACED_TOGETHER = 2000  # of a function with all that are written in it: engines are slow at long ones
PLACED_DEPTH = 12  # of such functions in one another: they are written by recursion

# Stops
STOP_INSTRUCTIONS = 2**24  # that come without a stop, some 20 ms
STOP_ITERATION = 2**12  # instructions of an iteration beside which a test costs nothing
STOP_UNKNOWN = 2**16  # what a number of iterations counts that only a call tells

# Two iterations at once. The unit is an instruction: a quarter of a cycle. Measured under wasmtime on an AMD EPYC, with
# eight chains of 32: a sum, a product, a quotient or a root of two numbers takes as long as of one (a quotient 1.67 and
# 1.69 ns, a root 3.3 and 3.1), a comparison with its choice 0.21 and 0.33.
COUNTING_INSTRUCTIONS = 3  # that count an iteration, and begin the next
PAIRED_INSTRUCTIONS = 2000  # of an iteration that may be one of two: their locals are given back later
PAIRED_GAIN = 0.1  # of the estimated time, from which on two iterations are one
# Times one function of libm, by lanes. Measured: 1.1 to 1.7 of two, as branches are tests of both; of four `expf` 2.3,
# `logf` 2.5, `tanhf` 1.4, `erff` 3.7
PAIRED_LIBRARY = {2: 1.5, 4: 2.4}
PAIRED_ERROR_FUNCTION = 3.7
PAIRED_EXTREME = 5  # `min` and `max`, in the place of 3: engines write them out. Measured: 0.94 and 1.24 ns, one 0.6
PAIRED_GATHER = 2  # a load into a lane. Measured, of two: 0.30 ns with a sum, a load of two neighbours with it 0.21
# A truth value of 32 bits to a lane of a mask. Measured: a choice by `i % 3 == 0` takes 1.17 of the time with two
PAIRED_MASK = 5
PAIRED_LANE = 4  # an index to a lane of a vector. Measured: that choice takes 0.84 of the time with four
# A number of those that are joined, by the lanes of a vector and how many lie side by side
PAIRED_JOINED = {(2, 2): 2, (4, 2): 4, (4, 4): 3}
PAIRED_SCATTER = 4.5  # a lane of a vector that is added to an element of its own; apart 3
PAIRED_HANDED = 4  # an element of those that do not lie side by side, handed on; apart, and side by side, 4
PAIRED_WAIT = 12  # of an addition for the one before it, 3 cycles
PAIRED_PRODUCTS = 5  # what two sums save that share a vector with their products, in the place of 10
PAIRED_ENTRY = 12  # what is done before a loop, and after it, without the numbers that are put in both lanes
# For what the loops before and after one that is run often read of its vectors, and write for them. Measured: a number
# that was just stored alone is there for the next in no time, one of a vector in 3.5 ns, and a vector of two that were
# stored alone in 7.4. In Kalman filters and meshes loops of 2 to 16 iterations lose so what they save.
PAIRED_PASSED = 35
PAIRED_UNKNOWN = 32  # iterations, where only a call tells
UNPREDICTED_ITERATIONS = 32  # of a loop in which what an array chooses is chosen without a branch
