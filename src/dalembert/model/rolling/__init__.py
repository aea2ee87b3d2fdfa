"""A convex body that rolls on a surface: where it is, where it touches, and that nothing slips there.

    rolls = rolling(Body("ball", radius="r"), "z", parameters="r")       # what it is, on what
    System(rolls.space, rolls.kinetic(m, I) - m*g*rolls.position[2], rolls.constraints)

- ``support_function``: a convex surface by its support function h(n). It touches at grad h, wherever its normal is n:
  no chart.
- ``convex_body``: what is known of a body, however it is given. Of one by its equation the point that touches is part
  of the state; where h is known in closed form it is a ``quadric``.
- ``surface``: what it rolls on, by an equation f(x, y, z) = 0, where the body is on the side f > 0; and what moves the
  surface, nothing or another body.
- ``contact_point``: the place of the body and its velocity, from one of two kinds of coordinates, and whether the two
  surfaces touch there and nowhere else near by.
- ``rolling``: the rows, the gap and the slip that systems take.

The normal N is that of the surface, to the body; C is the point of contact, X the origin of the body, R its attitude,
and m = - R^T N the outward normal of the body, in its own axes:

    C = X + R grad h(m) ,      slip = X' + w x R grad h(m) - U

U is the velocity of the surface at C.
"""
