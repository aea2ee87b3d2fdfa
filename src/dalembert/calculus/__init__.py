"""Expressions to expressions; this room knows no mechanics.

An expression is read once (`from_sympy`) into a graph of unique nodes (`node_store`, `graph`); derivatives, rates along
a motion and determinants are nodes again, so that nothing swells. What is known of a function stands in one row
(`elementary_functions`).

    graph = Graph()
    x, v = graph.symbol("x"), graph.symbol("v")
    energy = read(m * v**2 / 2, graph) - cos(x)        # of SymPy, or made of nodes
    gradient(energy, [x, v])                            # nodes again
    evaluate([energy], {"x": 0.1, "v": np.linspace(0, 1)})

What stands where:

- The graph: ``node_store``, ``graph``, ``from_sympy``; ``elementary_functions`` (the table of functions) and
  ``function_sources`` (those that other languages lack); ``node_values`` (numbers), ``jacobians`` (many derivatives),
  ``substitution``.
- Formulas on the graph: ``frame``, ``euler_lagrange`` (Lagrange's expressions in any frame), ``levi_civita``,
  ``taylor_series``, ``linear_systems`` (systems of equations), ``narrow_places`` (what points may miss); ``algebra``
  reads one formula for the eye or for the machine; ``exact`` decides identities and writes the same values in fewer
  operations.
- SymPy's expressions: ``symbols``, ``simplification``, ``polynomials``, ``invariant_sets``.
- For people: ``readable_form`` (nodes as a person would write them), ``subexpressions``, ``printing``,
  ``symbol_letters`` (letters of symbols), ``line_width``; ``language`` reads and writes the expressions of files.
- Numbers that are given: ``quantity`` (with their units), ``rotation_matrices``, ``plausibility``; ``numerical_rank``
  says what counts as 0.
- Searches that end: ``budget`` counts and times work; ``fork_locks`` survive a fork.
"""
