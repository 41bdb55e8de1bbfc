"""The fifty functions, a file for each field. They were chosen from the libraries' own examples before one was run."""
