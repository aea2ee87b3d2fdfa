"""What is given: space, constraints, forces, and the system they make. It derives nothing.

    space = plane("x y") * rotation("R")            # factors, one space
    System(space, L, constraints, forces, parameters={...}, symmetry=[...], walls={...})

What stands where:

- Space: ``space``, its ``factors``, ``recipe`` (how a factor was asked for, so that it can be written down again).
- What is put into it: ``constraint`` and ``rows``, ``force``, ``inertia``, ``symmetry``, ``wall``, ``parameters``,
  ``cited``.
- ``rolling``: a body on a surface, with its coordinates, rows and contact.
- ``system`` holds them together; ``shown`` is how it looks, ``limits`` how large it may be, ``notes`` what is said of
  it when it is made.
- How people's input is read: ``arguments`` (each argument of a system) with ``acting`` (forces), ``names`` and
  ``distinct``, ``expression``, ``scalar``.
- Doubts that cost nothing: ``dimensions`` with ``balance`` (units), ``up`` (the sign of gravity), ``rest`` (forces
  that jump at rest), ``guard`` (what walls and contacts have for a surface).
- ``from_sympy`` takes a system from `sympy.physics.mechanics`.
"""
