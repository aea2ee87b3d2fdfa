"""Families of motions: relative equilibria and periodic motions, followed in a parameter, and how fast neighbours part.

- ``arclength`` follows any curve of solutions by pseudo-arclength [keller1977].
- Relative equilibria: ``equilibrium_conditions`` has the conditions that hold on a branch, and what leaves it at a
  branch point; ``equilibrium_branches`` follows them, finds folds, branch points and Hopf points, and the periodic
  motions born there; ``bifurcation_locus`` follows such a point in a second parameter.
- Periodic motions: ``periodic_orbits`` finds one and its Floquet multipliers, ``relative_periodic_orbits`` those that
  come back up to a symmetry; ``periodicity_conditions`` has the conditions that hold on a family and leads onto
  another; ``orbit_family`` follows them.
- ``lyapunov_exponents`` has the spectrum of exponents. All but equilibria use the ``tangent_flow``: a motion and its
  derivatives from any consistent state on.
"""

# what the columns of a family are called beside its parameter and its states; a stored family is read by these
PERIOD = "period"
DRIFT = "drift "  # and the name of the generator
