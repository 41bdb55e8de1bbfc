"""Code generation: the instructions of one function, from its IR.

A function is written by objects that hold each other, the lower ones knowing nothing of those above:

    FunctionWriter (function.py)      the dispatch from each operation to what writes it: calls.py, accumulators.py,
      |                               stacks.py, and for a `for` a Loop (loops.py), which lives as long as the loop
      Promotion (register_promotion.py)      sums of loops that are in locals
      Expressions (expressions.py)           what is put on the stack: expression trees, loads, addresses of elements
        Frame (frame.py)                     the locations of values, in locals and in memory
          Assembler (assembler.py)           instructions

Reading a value, computing it and addressing an element are one recursion, so they are one class, `Expressions`; and a
loop is an object of its own, made by the writer. So no object calls back into one that holds it.

Read `locations.py`, `frame.py`, `expressions.py`, `function.py` and `loops.py`, in this order. Then the analyses, which
are done before a function is written: `liveness.py`, `destinations.py`, `states_in_place.py`, `strength_reduction.py`,
`rings.py`. What a module does with them is in `analyses.py`: in *naive* code, to compare with, none of them is used.
A branch and a while loop are functions: `branch.py`, `while_loop.py`; `placing.py` says which functions are written
where they are called, and not on their own (`copying.py` helps). For a module as a whole: `call_order.py`, `memory.py`,
`literals.py`, `patterns.py`, `heap.py`, `vector_add.py`, `dynamic_sizes.py`, `stops.py`.

Terms. A value is its *leaves*: numbers in locals, and aggregates in memory. A *deferred* number is computed where it
is read, on WebAssembly's stack. An *alias* makes no code: it is a part of its arguments, or they are its parts. The
others get locals by *linear scan* over the numbered instructions. In *destination-passing style* an aggregate is built
where it is wanted, so a call is handed the address for its result. *Strength reduction*: a pointer grows in the place
of an index that is multiplied. *Register promotion*: in a loop, an element of an accumulator is in locals. The heap is
a *bump allocator*, for stacks alone. A *dynamic size* is known to a running module only. *Notes* say of which value
an instruction is: debug information is made of them.

Contract: the same function gives the same bytes, and the results have the bits of the interpreter.
"""
