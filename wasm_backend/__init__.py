"""The back end: IR in, WebAssembly out. It knows nothing of derivatives."""
