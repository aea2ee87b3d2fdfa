"""Inputs that lead a system from one state to another at least cost, found by collocation and tried by a run.

Between the N + 1 times of a mesh the motion is a polynomial that satisfies the equations of motion, as the library
has them, at the Gauss points of each interval: the symplectic collocation of [hairer2006 (II.1.3)]. Its states are
the speeds of the lean form, which keep linear and affine constraints whatever they are, and quadratic invariants such
as the length of a quaternion are kept by the method itself [hairer2006 (IV.2.1)]; so these cost no equations and
drift nowhere. Inputs are tables of values at the mesh, joined just as a run joins them: what is found can be run.

- ``problem``: what was given, read: start, end, inputs, cost, bounds; costs that have
  no least value.
- ``collocation``: the motion in as few states as there are, tables as linear maps from values at the mesh to the
  coefficients of a run, and the problem of finitely many unknowns.
- ``manoeuvre``: guesses, Ipopt, and the run that tells what is true of the answer.
"""
