"""A motion together with its derivatives by start values and parameters, as one run of tied lanes.

Lane 0 is the motion, each lane behind it one derivative; the equations of the latter are the tangents of the compiled
right-hand side, so derivatives are those of the numbers that the motion is made of.

- ``sensitivities``: the door, and its result.
- ``stretches``: a motion cut at walls, jumps, switches and changes of contacts; ``through`` carries derivatives along,
  ``tied_run`` each stretch of them.
- ``saltation``: what happens to them where it is cut; ``pushed``: what an impact of contacts depends on.
- ``observed``: expressions along the motion, and their derivatives.

    found = sensitivities(equations, start, until=10.0, by=["mass", "theta"])
    found["x", "mass"], found.of(m * vx**2 / 2)
"""
