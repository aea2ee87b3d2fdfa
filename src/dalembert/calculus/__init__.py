"""Expressions to expressions; knows no mechanics."""
