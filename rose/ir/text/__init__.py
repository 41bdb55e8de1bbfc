"""The IR as text and as a picture: the printer, the parser of the same syntax, Graphviz and SVG."""
