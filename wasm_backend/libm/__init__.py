"""Mathematics inside the module: musl's functions, on their way into `rose/ir/libm/libm.bin` and into a module."""
