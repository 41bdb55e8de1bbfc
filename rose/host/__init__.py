"""Plain Python values in and out, the effects of running, and the interpreter, which is the meaning of the IR."""
