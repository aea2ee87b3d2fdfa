"""How far a wheel of MuJoCo slips beside one that rolls: ``python docs/figures/slip.py`` (needs mujoco and matplotlib).

A carriage on two driven wheels and a ball without friction, from rest, driven unevenly for ten seconds. Drawn is how
far the place that the wheels tell, r (q_left + q_right)/2 along the heading, is from that of the carriage.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import mujoco
import numpy as np

import dalembert as da

HERE = Path(__file__).resolve().parent
UNTIL, RADIUS, HALF, LEFT, RIGHT = 10.0, 0.1, 0.2, 0.06, 0.08
WHEEL = """
<body name="{side}" pos="0 {y} 0"><joint name="{side}_wheel" axis="0 1 0"/>
  <inertial mass="0.5" pos="0 0 0" diaginertia="0.001 0.002 0.001"/>
  <geom type="cylinder" size="0.1 0.015" euler="90 0 0" friction="{mu} 0 0" condim="{condim}"/></body>
"""
CARRIAGE = """
<mujoco><compiler angle="degree"/>
<option timestep="{step}" integrator="implicitfast" cone="elliptic" impratio="{impratio}"/>
<worldbody><geom type="plane" size="50 50 1" friction="{mu} 0 0" condim="{condim}"/>
<body name="base" pos="0 0 0.1"><freejoint/>
  <inertial mass="5" pos="0.05 0 0" diaginertia="0.1 0.12 0.15"/>
  <geom type="sphere" size="0.02" pos="0.15 0 -0.08" condim="1" friction="0 0 0" priority="1"/>
  {wheels}</body></worldbody>
<actuator><motor joint="left_wheel"/><motor joint="right_wheel"/></actuator></mujoco>
"""


def creeping(step, impratio):
    """Times, and how far the wheels' own reckoning is off, of MuJoCo."""
    given = {"mu": 1.0, "condim": 3}
    wheels = "".join(WHEEL.format(side=side, y=y, **given) for side, y in (("left", HALF), ("right", -HALF)))
    model = mujoco.MjModel.from_xml_string(CARRIAGE.format(step=step, impratio=impratio, wheels=wheels, **given))
    data = mujoco.MjData(model)
    data.ctrl[:] = LEFT, RIGHT
    reckoned, rows, before = np.zeros(2), [], data.qpos[7:9].copy()
    for n in range(round(UNTIL / step)):
        mujoco.mj_step(model, data)
        w, x, y, z = data.qpos[3:7]
        heading = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        moved = RADIUS * (data.qpos[7:9] - before).mean()
        before = data.qpos[7:9].copy()
        reckoned = reckoned + moved * np.array([np.cos(heading), np.sin(heading)])
        if n % round(0.02 / step) == 0:
            rows.append((data.time, *(data.qpos[:2] - reckoned)))
    t, x, y = np.array(rows).T
    return t, np.hypot(x, y)


def rolling():
    """The same of a machine whose wheels roll."""
    robot = da.Machine(inputs="left_motor right_motor")
    robot.body("base", mass=5, centre=[0.05, 0, 0], inertia=[0.1, 0.12, 0.15])
    robot.base("planar", "base")
    for side, y in (("left", HALF), ("right", -HALF)):
        robot.body(side, mass=0.5, inertia=[0.001, 0.002, 0.001])
        robot.joint(f"{side}_wheel", "hinge", "base", side, axis="y", at=[0, y, 0], torque=f"{side}_motor")
        robot.roll(side, RADIUS)
    equations = da.nonholonomic(robot.system)
    motors = {"left_motor": LEFT, "right_motor": RIGHT}
    rest = equations.start(dict.fromkeys(equations.states, 0), inputs=motors)
    path = da.simulate(equations, rest, until=UNTIL, inputs=motors)
    t = np.linspace(0, UNTIL, 20001)
    row = path.at(t)
    speed = RADIUS * (row["vleft_wheel"] + row["vright_wheel"]) / 2
    way = [np.concatenate([[0], np.cumsum(_simpson(speed * f(row["theta"]), t))]) for f in (np.cos, np.sin)]
    return t[::2], np.hypot(way[0] - row["x"][::2], way[1] - row["y"][::2])


def _simpson(f, t):
    """Integrals over pairs of intervals."""
    return (t[2::2] - t[:-2:2]) / 6 * (f[:-2:2] + 4 * f[1:-1:2] + f[2::2])


def main():
    """Draw it."""
    figure, axes = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
    for step, impratio in ((2e-3, 1), (2e-3, 100), (1e-4, 100)):
        t, off = creeping(step, impratio)
        axes.semilogy(t[1:], off[1:], label=f"MuJoCo {mujoco.__version__}, step {1e3 * step:g} ms, impratio {impratio}")
        print(f"MuJoCo, step {1e3 * step:g} ms, impratio {impratio}: {off[-1]:.2e} m")
    t, off = rolling()
    axes.semilogy(t[1:], np.maximum(off[1:], 1e-16), label="dalembert")
    print(f"dalembert: {off.max():.2e} m")
    axes.set(xlabel="t (s)", ylabel="reckoned less true place (m)", xlim=(0, UNTIL))
    axes.legend(fontsize="small", frameon=False)
    figure.savefig(HERE / "slip.png", dpi=150)


if __name__ == "__main__":
    main()
