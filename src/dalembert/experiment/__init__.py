"""Paths and records -> numbers that can be compared.

One measure serves a path that was run and a record of one that was seen; all else is built of these.

- Measures: ``measures`` is the list, with the circle, the oscillation and the camera; ``column_series`` makes arrays of
  columns and finds where they cross a level.
- Paths against each other: ``compare`` (principles, by the distance of their motions), ``penalty_limit`` (penalties
  against a principle).
- Paths against records: ``residuals``; ``fit`` finds unknowns, ``rank`` holds candidates against each other,
  ``plan`` says which start would tell two apart. What is asked of a record is a `Question`.
- ``name_arguments``, ``starts_with_inputs`` and ``progress_bar`` are what these share.

A fit goes ``prepare`` -> ``model`` -> ``minima`` (by ``least_squares``) -> ``result`` (with its ``doubts``); a ranking
goes ``shares`` -> ``search`` of each candidate -> ``prediction`` -> ``verdicts`` -> ``ranking``.
"""
