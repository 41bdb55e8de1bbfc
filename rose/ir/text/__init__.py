"""The IR as text and as a picture: the printer, the parser of the same syntax, Graphviz and SVG.

    printer     from functions to text; its head describes the syntax
    grammar     from text to syntax trees (`trees`); its head has the grammar
    elaborate   from syntax trees to instructions: names (`bindings`), types, literals (`literals`), rows (`operations`)
    module      a text with several functions, types and the relations between functions: `parse`
    graph       functions as a graph, for Graphviz and as SVG

Contract: `parse(show(f))` is `f` again, with the same bits; what is wrong in a text is a `RoseError` at its place.
"""
