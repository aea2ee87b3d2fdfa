"""One set of equations at given parameter values, compiled: the vector field that methods integrate.

The state is y = (q, u, multipliers where these are states, work), or (q, s, work) where the lean form is integrated;
the work supplied since the start is integrated too, so that energy can be held against it. Behind dy/dt stands one more
number, the rank margin: where it falls to 0 the motion is no longer determined.

- ``kernel_plan`` writes the functions on the graph as the equations are written, ``in_speeds`` in the speeds of the
  lean form: ``rhs``, ``project``, what leads from speeds to velocities.
- ``compiled_kernel`` compiles them, and what a method wants beside them.
- ``constraint_projection`` is the way back to the constraints; ``stabilisation`` says whether it is taken, or another.
- ``variational_equations``: a motion with its derivatives in some directions, compiled as tied lanes.
- ``field`` is what others hold: equations, start and stabilisation, and all that is evaluated along a path.
- ``residual``: how far a path is from its constraints.

    field = Field(equations, start, Projection())
    field.rate(t, y), field.project(t, y), field.energy(t, y)
"""
