"""System -> verdicts and splittings: what a set of constraints is, before any principle is chosen.

Most is decided at random states on the constraints (`random_states`), exactly where it can be; what cannot be decided
is said to be open.

    print(examine(system))                  # kinds, integrals, growth, ranks, where they drop
    reduction = reduce(system)              # a smaller system, and what leads back

What stands where:

- Constraints: ``examination`` (questions and answer); ``constraint_rank``, ``rank_drops`` (where they lose rank);
  integrability and growth in ``pfaff``, ``constraint_integrals`` and ``one_forms`` (one-forms); ``affine_distribution``
  (constraints by vector fields), ``integral_manifold`` (where they are integrated).
- Symmetry: ``group_action`` (what generators do), ``noether`` (what they conserve), ``infinitesimal_symmetries`` (those
  that nobody declared; ``trial_functions`` and ``recognised_numbers`` write them), ``parameter_conditions`` (of
  parameters); ``invariant_measure`` (invariant measures), ``impact_invariance``.
- Smaller systems: ``reduction`` uses ``group_invariants`` (functions that a group leaves alone), ``group_slice``,
  ``quotient_space`` (without the group), ``restriction`` (without the constraints) and ``change_of_variables``.
- Structures at a state: ``distributions``, ``splitting``, ``symplectic_form``, ``phase_space`` (almost-Poisson
  brackets).
- Tools: ``random_states``, ``identities`` (what holds at all states), ``symbolic_null_space``, ``generators``,
  ``summary_lines``.
"""
