"""Equations at given parameter values, compiled: what is evaluated along a path."""
