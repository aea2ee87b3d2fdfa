"""Expressions to expressions; this room knows no mechanics.

An expression is read once (`read`) into a graph of unique nodes (`store`, `graph`); derivatives, rates along a motion
and determinants are nodes again, so that nothing swells. What is known of a function stands in one row
(`elementary`).

    graph = Graph()
    x, v = graph.symbol("x"), graph.symbol("v")
    energy = read(m * v**2 / 2, graph) - cos(x)        # of SymPy, or made of nodes
    gradient(energy, [x, v])                            # nodes again
    evaluate([energy], {"x": 0.1, "v": np.linspace(0, 1)})

What stands where:

- The graph: ``store``, ``graph``, ``read``; ``elementary`` (the table of functions) and ``sources`` (those that other
  languages lack); ``program`` (numbers), ``slopes`` (many derivatives), ``substitution``.
- Formulas on the graph: ``frame``, ``hamel`` (Lagrange's expressions in any frame), ``connection``, ``series``,
  ``linear`` (systems of equations), ``sharp_features`` (what points may miss); ``algebra`` reads one formula for the
  eye or for the machine; ``exact`` decides identities and writes the same values in fewer operations.
- SymPy's expressions: ``symbols``, ``simplification``, ``polynomials``, ``invariant``.
- For people: ``readable`` (nodes as a person would write them), ``subexpressions``, ``printing``, ``alphabet`` (letters
  of symbols), ``text``; ``language`` reads and writes the expressions of files.
- Numbers that are given: ``quantity`` (with their units), ``attitudes``, ``plausibility``; ``rank`` says what counts
  as 0.
- Searches that end: ``budget`` counts and times work; ``locks`` survive a fork.
"""
