"""Robot files that tests write, and what MuJoCo computes of the same file."""

import numpy as np

INERTIAL = (
    '<inertial><origin xyz="{c}" rpy="{r}"/><mass value="{m}"/>'
    '<inertia ixx="{a}" ixy="{xy}" ixz="0.001" iyy="{b}" iyz="-0.002" izz="{d}"/></inertial>'
)


def inertial(mass=1.0, centre="0.1 0.02 -0.05", rpy="0.3 -0.2 0.4", moments=(0.03, 0.04, 0.05), xy=0.002):
    a, b, d = moments
    return INERTIAL.format(m=mass, c=centre, r=rpy, a=a, b=b, d=d, xy=xy)


def link(name, inside=""):
    return f'<link name="{name}">{inside}</link>'


def joint(name, kind, parent, child, inside=""):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def robot(*parts):
    return '<?xml version="1.0"?>\n<robot name="r">\n' + "\n".join(parts) + "\n</robot>\n"


# every kind of joint that MuJoCo reads, a fixed chain, nested frames, damping; the joints not in the order of the tree
CHAIN = robot(
    *(link(name, inertial(1 + n / 3)) for n, name in enumerate(("one", "two", "three", "four"))),
    link("world"), link("flange"), link("tool", inertial(0.4)),
    joint("c.d", "continuous", "two", "three",
          '<origin xyz="0 0.1 0.4" rpy="-0.7 0.2 0.1"/><axis xyz="0 1 -1"/><dynamics damping="0.3"/>'),
    joint("a", "revolute", "world", "one",
          '<origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><axis xyz="0 0 1"/><limit lower="-1" upper="1"/>'),
    joint("b-1", "prismatic", "one", "two", '<origin xyz="0.3 0 0.1" rpy="0 1.5707963267948966 0"/>'),
    joint("x", "fixed", "three", "flange", '<origin xyz="0 0 0.2" rpy="0 0.3 0"/>'),
    joint("y", "fixed", "flange", "tool", '<origin xyz="0.1 0 0"/>'),
    joint("e", "revolute", "flange", "four", '<axis xyz="1 0 0"/><dynamics damping="0.1" friction="0.2"/>'),
)  # fmt: skip


def forward(model, positions, velocities, controls=()):
    """Accelerations of a model of MuJoCo, by the names of joints of one coordinate."""
    import mujoco

    data = mujoco.MjData(model)
    for name, value in positions.items():
        data.qpos[model.jnt_qposadr[model.joint(name).id]] = value
        data.qvel[model.jnt_dofadr[model.joint(name).id]] = velocities[name]
    data.ctrl[:] = controls
    mujoco.mj_forward(model, data)
    return {name: data.qacc[model.jnt_dofadr[model.joint(name).id]] for name in positions}


def random_state(names, seed=0):
    rng = np.random.default_rng(seed)
    return dict(zip(names, rng.uniform(-1, 1, len(names)), strict=True)), dict(
        zip(names, rng.uniform(-1, 1, len(names)), strict=True)
    )
