"""Many runs of one set of equations, each with a start and parameters of its own, in the lanes of the vector registers.

- ``ensemble`` is the door: it runs what it can in lanes, and the others one by one as `simulate` would.
- ``members_in_lanes`` compiles and lays out what the loop needs; ``lanes`` says how it lies in memory, and what happens
  within a step: samples and events. A lane that meets what it cannot decide leaves its member to `simulate`.
- ``explicit_lanes`` is the loop: each lane has its own time, step size and tolerance, and takes the next member when
  one is done.
- ``results``: what all members share, and what became of each.

    found = carry_out(Ensemble(equations, policy, t0, until), states, parameters)
    found.y, found.status

A member's numbers are the same bits whatever other members there are.
"""
