"""Derivatives of a motion, integrated together with it."""
