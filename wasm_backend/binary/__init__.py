"""The WebAssembly binary format, and nothing of ours: writing it, reading it, showing it."""
