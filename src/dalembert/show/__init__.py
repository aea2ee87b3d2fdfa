"""Nouns -> figures, pages and formulas.

`draw` finds the drawing by the noun's type: ``path_figure`` (paths and Poincare sections), ``comparison`` (and limits),
``family``, ``fit`` (and rankings), ``sweep``; ``top_view`` has curves in a plane, which papers use too. These are
Matplotlib's; ``figure_style`` is what they have in common, ``figure_options`` what a person asks of them.

``html`` makes fragments (formulas in MathML, tables, small charts in SVG) for notebooks and pages; ``report`` puts
them together to one page that needs neither script nor network.
"""
