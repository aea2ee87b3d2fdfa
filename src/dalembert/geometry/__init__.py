"""System -> verdicts and splittings: what a set of constraints is, before any principle is chosen.

Most is decided at random states on the constraints (`states`), exactly where it can be; what cannot be decided is
said to be open.

    print(examine(system))                  # kinds, integrals, growth, ranks, where they drop
    reduction = reduce(system)              # a smaller system, and what leads back

What stands where:

- Constraints: ``examination`` (questions and answer); ``ranks``, ``drops`` (where they lose rank); integrability and
  growth in ``pfaff``, ``integrals`` and ``forms`` (one-forms); ``affine_distribution`` (constraints by vector fields),
  ``leaf`` (where they are integrated).
- Symmetry: ``action`` (what generators do), ``noether`` (what they conserve), ``infinitesimal`` (those that nobody
  declared; ``library`` and ``coefficients`` write them), ``special_values`` (of parameters); ``measure`` (invariant
  measures), ``impact_invariance``.
- Smaller systems: ``reduction`` uses ``shape`` (functions that a group leaves alone), ``slices``, ``quotient`` (without
  the group), ``restriction`` (without the constraints) and ``change_of_variables``.
- Structures at a state: ``distributions``, ``splitting``, ``symplectic``, ``phase`` (almost-Poisson brackets).
- Tools: ``states``, ``identities`` (what holds at all states), ``kernel``, ``arguments``, ``summary``.
"""
