"""The contract between `lower`, runtimes and packages: the memory layout of types, and signatures of exports.

`layout.py` says where the parts of a value lie, and which leaves it has in a function; `signature.py` how an export is
called: which arguments are numbers, and which addresses the others have. Both give it as plain data to JavaScript.

Terms. An *aggregate* (vector, tuple or struct) crosses the border of a module in memory. A *leaf* is a number, or an
aggregate in memory: a small tuple is *flat*, its leaves are those of its items. A *dynamic size* is told by a call.
"""
