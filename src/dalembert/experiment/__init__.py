"""Paths and records -> numbers that can be compared."""
