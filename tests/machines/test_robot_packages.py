"""All files of two packages of robots: accelerations as Pinocchio has them, and which are refused, and why.

pip install pin example-robot-data hello-robot-stretch-urdf
"""

from importlib.metadata import PackageNotFoundError, files
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.machines.robot_file import identifier


def robots():
    """The URDF files of what is installed, by their last folders and name."""
    found = []
    for package in ("example-robot-data", "hello-robot-stretch-urdf") if find_spec("pinocchio") else ():
        try:
            found += [Path(str(each.locate())) for each in files(package) or () if each.suffix == ".urdf"]
        except PackageNotFoundError:
            continue
    return {"/".join(path.parts[-3:]): path for path in sorted(found)}


FILES = robots()
REFUSED = {  # by the end of the path
    "alex_psyonic_hands.urdf": "follows 'index_q1', which is none",
    "hector_description/robots/quadrotor_base.urdf": "nothing in the machine moves",
    "iris_simple.urdf": "nothing in the machine moves",
    "romeo_description/urdf/romeo.urdf": "LFinger11Link has no inertia",
    "romeo_laas_small.urdf": "l_gripper has no inertia",
    "romeo_small.urdf": "RShoulderYawLink has",
    "so101.urdf": "<origin> in <link> 'gripper_frame_link'",
    "tiago_dual.urdf": "<kinematic> in <link>",
    "tiago_pro.urdf": "<kinematic> in <link>",
    "ur_description/urdf/ur3.urdf": "has no links",
    "RE1V0_tool_stretch_dex_wrist.urdf": "link_wrist_roll with link_straight_gripper",
    "RE2V0_tool_stretch_dex_wrist.urdf": "link_wrist_roll with link_straight_gripper",
}


@pytest.fixture(autouse=True)
def _there():
    pytest.importorskip("pinocchio")


@pytest.mark.parametrize("name", FILES or [""])
@pytest.mark.filterwarnings("ignore")  # published moments miss the triangle, and names of joints look alike
def test_accelerations_of_published_robots_are_those_of_pinocchio(name):
    why = next((words for end, words in REFUSED.items() if name.endswith(end)), None)
    if why is not None:
        with pytest.raises(da.DalembertError) as refusal:
            _ = da.from_urdf(FILES[name]).system
        assert why in str(refusal.value)
        return
    machine = da.from_urdf(FILES[name], dry=False)
    ours, theirs = both(machine, FILES[name])
    assert ours == pytest.approx(theirs, rel=1e-10, abs=1e-10 * max(1, abs(theirs).max()))


def both(machine, path):
    """Accelerations at a random state, ours and those of Pinocchio.

    Joints that follow others are free there: v = G u, and G^T (M G u' - tau + c) = 0.
    """
    import pinocchio as pin

    model = pin.buildModelFromUrdf(str(path))
    data, rng = model.createData(), np.random.default_rng(0)
    space, joints = machine.system.space, machine._parts.joints
    state = {q.name: rng.uniform(-1, 1) for q in space.coordinates} | {
        u.name: rng.uniform(-1, 1) for u in space.velocities
    }
    for attitude in space.attitudes.values():
        names = [q.name for q in attitude.coordinates]
        size = np.linalg.norm([state[n] for n in names])
        state |= {n: state[n] / size for n in names}
    row = {u.name: i for i, u in enumerate(space.velocities)}
    q, G, damping = pin.neutral(model), np.zeros((model.nv, len(row))), np.zeros(model.nv)
    for theirs in range(1, model.njoints):
        name = identifier(model.names[theirs], "joint", {"base"})
        ours, joint = joints[name], model.joints[theirs]
        if ours.kind == "free":
            parts = [state[f"{name}_{n}"] for n in ("x", "y", "z", "R_x", "R_y", "R_z", "R_w")]
            q[joint.idx_q : joint.idx_q + 7] = parts
            for i, n in enumerate(("v1", "v2", "v3", "w1", "w2", "w3")):
                G[joint.idx_v + i, row[f"{name}_{n}"]] = 1
            continue
        leader, ratio, offset = ours.follows or (name, 1.0, 0.0)
        angle = ratio * state[leader] + offset
        q[joint.idx_q : joint.idx_q + joint.nq] = [angle] if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
        G[joint.idx_v, row[f"v{leader}"]] = ratio
        damping[joint.idx_v] = ours.damping or 0
    v = G @ [state[n] for n in row]
    tau = -damping * v
    equations = da.free(machine.system)
    found = equations.evaluate(equations.start(state))["accelerations"]
    if G.shape[0] == G.shape[1]:
        expected = G.T @ pin.aba(model, data, q, v, tau)
    else:
        M = np.triu(pin.crba(model, data, q))
        M += np.triu(M, 1).T
        expected = np.linalg.solve(G.T @ M @ G, G.T @ (tau - pin.nonLinearEffects(model, data, q, v)))
    return np.array([found[n] for n in row]), expected
