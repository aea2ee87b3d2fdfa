"""Paths and records -> numbers that can be compared.

One measure serves a path that was run and a record of one that was seen; all else is built of these.

- Measures: ``measures`` is the list; ``crossing``, ``oscillation``, ``circle``, ``distance`` compute; ``series``
  makes arrays of columns.
- Paths against each other: ``compare`` (principles), ``limit`` (penalties against a principle).
- Paths against records: ``deviations``; ``fit`` finds unknowns, ``rank`` holds candidates against each other,
  ``plan`` says which start would tell two apart. What is asked of a record is a `Question`.
- ``names`` and ``progress`` are what these share.
"""
