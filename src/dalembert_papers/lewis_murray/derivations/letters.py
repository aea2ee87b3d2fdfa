"""The letters of [lewis1995]: xi = (w1, w2, w3), lam1 = lam_roll_x, lam2 = lam_roll_y, J = I + m r^2."""

from __future__ import annotations

import sympy as sp

from dalembert.calculus.frame import TIME
from dalembert.systems import ball_on_turntable as ball

t = TIME
m, r, I, Om = ball.M, ball.RADIUS, ball.INERTIA, ball.OMEGA
nu, mu, delta, g = ball.NU, ball.MU, ball.DELTA, ball.GRAVITY
x, y, vx, vy = ball.X, ball.Y, ball.VX, ball.VY
w1, w2, w3 = xi = (ball.W1, ball.W2, ball.W3)
ax, ay, a1, a2, a3 = udot = sp.symbols("ax ay a1 a2 a3", real=True)
lam1, lam2 = lam = sp.symbols("lam_roll_x lam_roll_y", real=True)
ld1, ld2 = lamdot = sp.symbols("lamdot1 lamdot2", real=True)
Rx, Ry = reaction = sp.symbols("R_x R_y", real=True)
s = sp.Symbol("s")
J = I + m * r**2
a, om = nu * r**2 / J, I * Om / J
e1, e2, e3 = (sp.eye(3)[:, i] for i in range(3))
v = sp.Matrix(ball.SLIP)  # velocity of the ball relative to the table
unit = v / sp.sqrt(v.dot(v))
