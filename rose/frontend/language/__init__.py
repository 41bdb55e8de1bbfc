"""The functions of the language beside the rows of the table: loops, sums, branches, vectors, debugging."""
