"""The back end: IR in, WebAssembly out, and modules run. It knows nothing of derivatives.

From the top: `lower.py` is the driver, which makes a module of functions of the IR; `debug_info.py` listens to the
writers; `simd` vectorises loops; `package` writes files for the web; `codegen` writes the instructions of functions;
`runtime` calls modules from Python, as `js` does in browsers; `libm` links mathematics in; `abi` is the contract
between `lower`, runtimes and packages; `binary` is the format, with nothing of ours.
"""
