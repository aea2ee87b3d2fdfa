"""System -> Equations: a principle is one assumption, one file, one function.

- Principles: ``nonholonomic``, ``vakonomic``, ``free``. Both of the first lead to one form, written once in
  ``saddle``.
- Forms, other ways to the nonholonomic equations, which must give the same accelerations: ``gauss``, ``maggi``,
  ``hamel``, ``voronec``, ``chaplygin``, ``gibbs_appell``, ``almost_poisson``, ``symplectic``. They share
  ``adapted_velocities`` (velocities split along the constraints, gyroscopic forces) and ``classical_forms`` (what is
  refused, how equations are put together).
- ``principle_table`` has a row, and the function, for each that can be named in text; ``lean`` writes nonholonomic
  equations in independent velocities, ``rotation_entries`` prints them in entries of rotation matrices;
  ``well_posedness`` decides whether a system determines a motion.
- When do the two principles agree? ``coincide`` answers from numbers at states (``vakonomic_substitution``) and exact
  conditions (``coincidence_branches``), which are tested at real states. Is a given curve a motion? ``satisfies``
  answers, of a ``chebyshev_curve`` at Chebyshev points and the ``residuals`` that each principle has along it.
- Systems to systems: ``penalties`` replaces constraints by strong forces.
- Velocities that jump: ``impulsive`` (walls, and constraints from an instant on). ``contact_mode_equations``: a mode is
  a system.
- What is conserved or symmetric in time: ``first_integrals``, ``reversibility``.
"""
