"""System -> verdicts and splittings: what a set of constraints is, before any principle is chosen.

Most is decided at random states on the constraints (`states`), exactly where it can be; what cannot be decided is
said to be open.

    print(examine(system))                  # kinds, integrals, growth, ranks, where they drop
    reduction = reduce(system)              # a smaller system, and what leads back

What stands where:

- Constraints: ``examine`` asks, ``examination`` is the answer; ``ranks``, ``drops``, ``pivots``, ``equivalent``,
  ``weightless``; integrability and growth in ``pfaff``, ``forms`` (one-forms), ``integrals``, ``solved``, ``kernel``.
- Symmetry: ``arguments`` and ``action`` (what generators do), ``noether``, ``sections``, ``special``,
  ``coefficients``.
- Smaller systems: ``reduce`` uses ``slices``, ``shape`` (functions that a group leaves alone, rewritten by
  ``sphere_fit``), ``quotient`` (without the group), ``restrict`` (without the constraints), ``other_frame``
  (velocities that the group leaves alone); ``poles`` says where frames end.
- Structures at a state: ``distributions``, ``splitting``, ``symplectic``, ``phase``.
- Tools: ``states``, ``rounding`` (errors measured by shaking), ``summary``.
"""
