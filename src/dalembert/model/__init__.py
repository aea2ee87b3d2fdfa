"""What is given: space, constraints, forces, and the system they make. It derives nothing.

    space = plane("x y") * rotation("R")            # factors, one space
    System(space, L, constraints, forces, parameters={...}, symmetry=[...], walls={...})

What stands where:

- Space: ``space``, its ``space_factors``.
- What is put into it: ``constraint``, ``force``, ``inertia``, ``symmetry``, ``wall``, ``contact``, ``inputs``,
  ``parameters``; ``bodies`` for pictures and touching shapes.
- ``rolling``: a body on a surface, with its coordinates, rows and contact.
- ``system`` holds them together; ``presentation`` is how it looks, ``notation`` the letters it is printed with, and
  ``size_limits`` how large it may be.
- How people's input is read: ``system_arguments`` (each argument of a system), ``names``, ``expression_symbols``,
  ``scalar``.
- What is refused and doubted, in tables by code: ``system_checks``; with ``dimensions`` (units that do not fit),
  ``unit_mismatch`` (values hardly in one system of units), ``guard_regularity`` and ``contact_dimensions`` (what walls
  and contacts have for a surface).
- ``from_sympy`` takes a system from `sympy.physics.mechanics`.
"""
