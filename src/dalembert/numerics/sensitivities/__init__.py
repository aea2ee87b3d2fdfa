"""A motion together with its derivatives by start values and parameters, as one run of tied lanes.

Lane 0 is the motion, each lane behind it one derivative; the equations of the latter are the tangents of the compiled
right-hand side, so derivatives are those of the numbers that the motion is made of.

- ``sensitivities``: the door, and its result.
- ``smooth_segments``: a motion cut at walls, jumps, switches and changes of contacts. ``flow_derivatives``: the tangent
  flow of a smooth one, and the derivatives through all segments.
- ``saltation``: what happens to them where it is cut, and what an impact of contacts depends on.
- ``observables``: expressions along the motion, inputs among them, and their derivatives.

    found = sensitivities(equations, start, until=10.0, by=["mass", "theta"])
    found["x", "mass"], found.of(m * vx**2 / 2)
"""
