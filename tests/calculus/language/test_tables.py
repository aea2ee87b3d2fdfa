"""The stored tables are those of the grammar, and only its own are taken."""

import json

import pytest
import sympy as sp

from dalembert.calculus.language import parser
from dalembert.calculus.language.from_text import read_text
from dalembert.calculus.language.grammar import FILE, GRAMMAR, Parser, kept


def test_the_stored_tables_are_those_of_the_grammar():
    """Otherwise: ``python -m dalembert.calculus.language``; another lark makes the same tables of it, or its own."""
    stored, made = json.loads(FILE.read_text(encoding="utf-8")), Parser(anew=True).tables
    assert {**stored, "lark": ""} == {**made, "lark": ""}


def test_tables_of_another_grammar_are_not_taken(monkeypatch):
    own = {"lexer": "", "transformer": ""}
    assert kept(GRAMMAR, own) is not None
    assert kept(GRAMMAR.replace("any", "all"), own) is None
    monkeypatch.setattr("lark.__version__", "0")
    assert kept(GRAMMAR, own) is None


def test_a_bare_name_or_number_needs_no_parser(monkeypatch):
    r = sp.Symbol("r", real=True)
    monkeypatch.setattr(parser, "parser", None)
    assert (read_text(" r ", {"r": r}), read_text("20", {}), read_text("1.5", {})) == (r, 20, 1.5)
    with pytest.raises(TypeError):
        read_text("-r", {"r": r})
