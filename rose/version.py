"""The version of the compiler."""

VERSION = "0.1.0"
