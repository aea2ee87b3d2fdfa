"""The expression language of system files and of text in the API: text to SymPy and back.

    + - * / ^ **  ( )  numbers, names, functions, dot(x), pi

`read_text` screens the characters, cuts tokens, parses them with an LALR grammar, checks sizes and constant values, and
only then builds SymPy nodes, one for each node of the parse tree, from a table. Nothing is evaluated as code.
`to_text.write_text` is the way back, `syntax_errors` what is said of a text. The door imports nothing: a system that is
given in SymPy alone needs the table of functions, and no parser.
"""
