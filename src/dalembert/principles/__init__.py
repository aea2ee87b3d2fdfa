"""System -> Equations: a principle is one assumption, one file, one function.

- Principles: ``nonholonomic``, ``vakonomic``, ``free``. Both of the first lead to one form, written once in
  ``saddle``.
- Forms, other ways to the nonholonomic equations, which must give the same accelerations: ``gauss``, ``maggi``,
  ``hamel``, ``voronec``, ``chaplygin``, ``gibbs_appell``, ``almost_poisson``, ``symplectic``. They share ``adapted``
  (velocities split along the constraints, gyroscopic forces) and ``classical`` (what is refused, how equations are put
  together).
- ``listed`` has a row, and the function, for each that can be named in text; ``lean`` writes nonholonomic equations
  in independent velocities, ``rotation_entries`` prints them in entries of rotation matrices; ``wellposed`` decides
  whether a system determines a motion.
- When do the two principles agree? ``coincide`` answers from numbers at states (``substitution``) and exact conditions
  (``branches``), which are tested at real states. Is a given curve a motion? ``satisfied`` answers, of a ``curve`` at
  Chebyshev points and the ``residuals`` that each principle has along it.
- Systems to systems: ``penalties`` replaces constraints by strong forces.
- Velocities that jump: ``impulsive`` (walls, and constraints from an instant on). ``contacts``: a mode is a system.
- What is conserved or symmetric in time: ``first_integrals``, ``reversible``.
"""
