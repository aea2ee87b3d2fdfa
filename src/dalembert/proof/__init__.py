"""Proof: a motion enclosed in intervals, with a certificate that a program apart from it checks.

- ``differential_equations``: equations of motion and their start as operations on exact numbers.
- ``step_search``: polynomials, step lengths and frames, found without proof.
- ``certificate``: the program that checks, alone: it imports nothing of the library.
- ``enclosure``: what a user holds.

Nothing is proved by the search. `motion` hands out what the checker has accepted.
"""
