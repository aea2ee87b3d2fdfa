"""The two-wheeled robot with a torque at each wheel, which plants drive."""

from functools import cache

import dalembert as da
from dalembert.systems import two_wheeled_robot

ROLLING = {"x": 0.0, "y": 0.0, "theta": 0.0, "left": 0.0, "right": 0.0, "vx": 0.5, "omega": 0.0}


@cache
def robot():
    driven = two_wheeled_robot.system().changed(forces={"vleft": "tau_l", "vright": "tau_r"}, inputs="tau_l tau_r")
    return da.nonholonomic(driven)
