"""The IR as text: the printer, and the parser of the same syntax.

    printer     from functions to text; its head describes the syntax
    grammar     from text to syntax trees (`trees`); its head has the grammar
    elaborate   from syntax trees to instructions: names (`bindings`), types, literals (`literals`), rows (`operations`)
    module      a text with several functions, types and the relations between functions: `parse`

Contract: `parse(show(f))` is `f` again, with the same bits; what is wrong in a text is a `RoseError` at its place.
"""
