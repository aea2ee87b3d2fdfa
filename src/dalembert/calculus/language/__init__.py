"""The expression language of system files and of text in the API: text to SymPy and back.

    + - * / ^ **  ( )  numbers, names, functions, dot(x), pi

`read_text` screens the characters, cuts tokens, parses them with an LALR grammar, checks sizes and constant values, and
only then builds SymPy nodes, one for each node of the parse tree, from a table. Nothing is evaluated as code.
"""

from .read import Stretch, find, read_text
from .refusal import LIMITS, Limits, TextError, UnknownText, caret
from .write import write_text

__all__ = ["LIMITS", "Limits", "Stretch", "TextError", "UnknownText", "caret", "find", "read_text", "write_text"]
