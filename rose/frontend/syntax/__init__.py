"""`@fn(syntax=True)`: Python's own `if`, `while` and `for` over traced values, by a conversion of the source."""
