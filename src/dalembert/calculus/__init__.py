"""Expressions to expressions; knows no mechanics.

An expression is read once (`read`) into a graph of unique nodes (`store`, `graph`); derivatives, rates along a motion
and determinants are nodes again, so that nothing swells. What is known of a function stands in one row
(`elementary`).

    graph = Graph()
    x, v = graph.symbol("x"), graph.symbol("v")
    energy = read(m * v**2 / 2, graph) - cos(x)        # of SymPy, or made of nodes
    gradient(energy, [x, v])                            # nodes again
    evaluate([energy], {"x": 0.1, "v": np.linspace(0, 1)})

What stands where:

- The graph: ``store``, ``graph``, ``read``, ``operation`` and ``elementary`` (the table), ``sources``, ``program``,
  ``fold``.
- On the graph: ``frame``, ``hamel`` (Lagrange's expressions in any frame), ``connection``, ``brackets``, ``series``,
  ``linear``, ``elimination``, ``orthogonal``; ``algebra`` reads one formula for the eye or for the machine.
- On SymPy's expressions: ``polynomials``, ``invariant``, ``cofactors``, ``angles``.
- Numbers and units: ``number``, ``quantity``, ``dimension``, ``rank``, ``rounding``.
- Text: ``language`` reads and writes it, ``latex``, ``text`` and ``keys`` are for people.
- Searches that end: ``effort`` counts work, ``budget`` and ``clock`` stop what would not end.
"""
