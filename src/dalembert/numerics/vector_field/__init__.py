"""One set of equations at given parameter values, compiled: the vector field that methods integrate.

The state is y = (q, u, multipliers where these are states, work); the work supplied since the start is integrated too,
so that energy can be held against it. Behind dy/dt stands one more number, the rank margin: where it falls to 0 the
motion is no longer determined.

- ``kernel`` plans the functions on the graph and compiles them: ``rhs``, ``project``, what a method wants beside them.
- ``projection`` is the way back to the constraints; ``stabilisation`` says whether it is taken, or another.
- ``field`` is what others hold: equations, start and stabilisation, and all that is evaluated along a path.
- ``residual``: how far a path is from its constraints.

    field = Field(equations, start, Projection())
    field.rate(t, y), field.project(t, y), field.energy(t, y)
"""
