"""System -> Equations: a principle is one assumption, one file, one function.

- Principles: ``nonholonomic``, ``vakonomic``, ``free``. Both of the first lead to one form, written once in
  ``saddle``.
- Forms, other ways to the nonholonomic equations, which must give the same accelerations: ``gauss``, ``maggi``,
  ``hamel``, ``voronec``, ``chaplygin``, ``gibbs_appell``, ``almost_poisson``, ``symplectic``. They share ``adapted``
  (velocities split along the constraints) and ``classical`` (what is refused, how equations are put together).
- ``listed`` has a row for each that can be named in text, ``named`` the function; ``wellposed`` decides whether a
  system determines a motion.
- When do the two principles agree? ``coincide`` answers from numbers at states (``substitution``), exact conditions
  (``exact``, ``branches``) and their test at real states (``trial``).
- Systems to systems: ``penalties`` replaces constraints by strong forces.
- Velocities that jump: ``impulsive`` (walls), ``imposed`` (constraints from an instant on).
"""
