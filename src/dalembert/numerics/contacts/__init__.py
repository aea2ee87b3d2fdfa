"""Motions with contacts: which mode, until when, and what happens at each change.

- ``instant`` is a state in numbers: rows of everything that contacts may impose, rates, gaps, coefficients.
- ``problem`` decides: the mode, on accelerations, and an impact, on impulses, are one complementarity problem; of
  forces that are not unique ``cones`` finds the least.
- ``courses`` follows impacts by the laws of Poisson and Stronge: at one contact by ``course`` and ``hodograph``, at
  those that press on each other ``together``, in two ``phases`` or as ``springs``.
- ``change`` is what one instant does: impacts, bounces that pile up, then the modes from there on.
- ``beginning`` is the first instant of a slip in a plane, which has no direction at rest.
- ``segment`` runs the equations of one combination of modes to the next change.
- ``whole`` is the loop, and makes one path of all segments.
- ``deciding``, ``passing`` and ``relay`` are the same in compiled code, of what is plain: `problem`, `change` and the
  loop. `run.relayed` has its tables.
"""
