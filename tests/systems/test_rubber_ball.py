"""The rubber ball [ehlers2005] turns as Veselova's body does, with m r^2 more of inertia."""

import numpy as np

import dalembert as da
from dalembert.systems import rubber_ball, veselova


def test_it_turns_as_veselovas_body_does():
    p = rubber_ball.system().values()
    more = p["m"] * p["r"] ** 2
    body = veselova.system(**{name: p[name] + more for name in ("I1", "I2", "I3")})
    start = {name: value for name, value in rubber_ball.START.items() if name not in "xy"}
    t = np.linspace(0, 2, 5)
    found = []
    for system, given in ((rubber_ball.system(), rubber_ball.START), (body, start)):
        equations = da.nonholonomic(system)
        path = da.simulate(equations, equations.start(**given), until=2.0, rtol=1e-11, atol=1e-12)
        found.append(np.array([[path.at(s)[n] for n in ("w1", "w2", "w3", "R_w", "R_x", "R_y", "R_z")] for s in t]))
    assert np.allclose(*found, atol=1e-8)
