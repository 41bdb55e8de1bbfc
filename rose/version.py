"""The version of the compiler, and when it was imported."""

from time import time

VERSION = "0.1.0"
BEGUN = time()  # seconds; what is edited later is not what runs
