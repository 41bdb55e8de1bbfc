"""What a user's function is written in and recorded with: annotations, `@fn`, the trace, operators, any size."""
