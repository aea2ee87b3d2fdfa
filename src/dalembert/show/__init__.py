"""Nouns -> figures, pages and formulas.

`draw` finds the drawing by the noun's type: ``motion`` (paths), ``comparison``, ``limit``, ``fit``, ``ranking``;
``plan`` and ``trace`` are curves in a plane, which papers use too. These are Matplotlib's.

``html`` makes fragments (formulas in MathML, tables, small charts in SVG) for notebooks and pages; ``report`` puts
them together to one page that needs neither script nor network.
"""
