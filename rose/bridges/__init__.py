"""Bridges to frameworks: a function of JAX as one of ours, and ours as operators of JAX and PyTorch.

The frameworks are imported when one of the public functions is called, and nowhere else.

    frameworks      the public functions
    jax_functions   a function of JAX, and examples of its arguments, as an `@fn`
    pytrees         the types of what it takes and gives
    jaxprs          the tracer: equation by equation, with calls that stay calls
    operands        what stands for a variable of a jaxpr
    folding         what is known while tracing
    known_keys      random numbers of keys that are known
    equations       what a rule sees of an equation, and the table of the rules
    torch_programs  a module of PyTorch, exported, as an `@fn`; `aten` has the rules of its operators
    operators       ours as operators of flat arrays, which `to_jax` and `to_torch` give to the frameworks
    rules           all of the table; its files are in `primitives/`

Terms. A *jaxpr* is JAX's program, made of *equations*, each of which applies a *primitive*. An *aval* is the shape and
the dtype of a variable.
"""
