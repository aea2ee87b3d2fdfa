"""Nouns -> figures."""
