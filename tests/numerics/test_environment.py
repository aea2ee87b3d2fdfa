"""A plant as an environment of Gymnasium: that project's own checker, and the plant itself beside it."""

import numpy as np
import pytest

import dalembert as da

gymnasium = pytest.importorskip("gymnasium")
HANGING = {"x": 0.0, "phi": 0.3, "vx": 0.0, "vphi": 0.0}


def plant(**options):
    q = da.coordinates("x phi")
    L = "vx^2/2 + (vphi^2 + 2*vx*vphi*cos(phi) + vx^2)/2 + 9.81*cos(phi)"
    cart = da.free(da.System(q, L, forces={"vx": "F"}, inputs="F"))
    return da.plant(cart, HANGING, step=0.02, **options)


def environment(of=None, **given):
    usual = {"bounds": {"F": (-1.0, 1.0)}, "reward": lambda state, action: -(state["phi"] ** 2) - 0.1 * action[0] ** 2}
    return da.inputs.environment(plant() if of is None else of, **{**usual, **given})


def swung(rng):
    return {**HANGING, "phi": float(rng.uniform(-1, 1))}


@pytest.mark.parametrize("starts", [None, swung])
@pytest.mark.filterwarnings("ignore::UserWarning:gymnasium")  # of bounds that are not finite, which states have not
def test_the_checker_of_gymnasium_is_content(starts):
    from gymnasium.utils.env_checker import check_env

    check_env(environment(starts=starts), skip_render_check=True)


def test_it_goes_as_the_plant_does():
    env, alone = environment(length=5), plant()
    seen, info = env.reset(seed=1)
    assert (seen.tolist(), info) == (list(HANGING.values()), {"t": 0.0})
    for k in range(5):
        action = np.array([np.sin(k)])
        seen, reward, over, cut, info = env.step(action)
        state = alone.step(action.tolist())
        assert seen.tolist() == list(state.values())
        assert reward == -(state["phi"] ** 2) - 0.1 * action[0] ** 2
        assert (over, cut, info) == (False, k == 4, {"t": alone.t})
    assert env.reset()[0].tolist() == list(HANGING.values())


def test_episodes_begin_by_their_seed():
    env = environment(starts=swung, observed="phi")
    first, other = env.reset(seed=3)[0], env.reset()[0]
    assert first.shape == (1,)
    assert not np.array_equal(first, other)
    assert np.array_equal(env.reset(seed=3)[0], first)


def test_episodes_end():
    far = da.Event("far", da.coordinates("x phi")["phi"], then="stop")
    stopped = environment(plant(events=[far]), reward=lambda state, action: 0.0)
    stopped.reset()
    while not (step := stopped.step([0.0]))[2]:
        pass
    assert step[4]["far"] == [step[4]["t"]]
    assert step[0][1] == pytest.approx(0.0, abs=1e-12)
    judged = environment(ended=lambda state: state["vphi"] < -0.1)
    judged.reset()
    while not (step := judged.step([0.0]))[2]:
        assert step[0][3] >= -0.1
    blow = da.free(da.System(da.line("x"), "vx^2/2", forces={"vx": "F*vx^2"}, inputs="F"))
    broken = environment(da.plant(blow, {"x": 0.0, "vx": 1.0}, step=0.5), bounds={"F": (0, 9)}, reward=lambda s, a: 1.0)
    broken.reset()
    step = broken.step([9.0])
    assert step[2]
    assert step[4]["error"].startswith("E4")


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("E181", {"bounds": {"F": (0, 1), "G": (0, 1)}}),
        ("E182", {"bounds": {}}),
        ("E182", {"bounds": {"F": 1.0}}),
        ("E182", {"bounds": {"F": (1, 0)}}),
        ("E182", {"bounds": {"F": (0, np.inf)}}),
        ("E182", {"bounds": [(-1, 1)]}),
        ("E307", {"reward": 1.0}),
        ("E307", {"reward": lambda state: 1.0}),
        ("E307", {"length": 0}),
        ("E317", {"observed": "psi"}),
        ("E307", {"of": "plant"}),
    ],
)
def test_refusals(code, given):
    with pytest.raises(da.DalembertError) as refused:
        environment(**given)
    assert refused.value.code == code
