"""A plant as an environment of Gymnasium, in which an agent learns to drive its inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...argument_checks import function, kind, mapping, names, number, pair, public, whole
from ...errors import InvalidValue, Singular, as_given
from ...errors.remedies import Option
from ...trajectory import Columns
from .plant import Plant, placed

if TYPE_CHECKING:
    import gymnasium

Reward = Callable[[Mapping[str, float], np.ndarray], float]
_BOUNDS = Option("bounds", {"tau": (-1.0, 1.0)})


class _Agent:
    """What an environment does; `gymnasium.Env` stands behind it.

    Attributes:
        plant: where the motion is.
    """

    metadata: Mapping[str, Sequence[str]] = {"render_modes": []}
    render_mode = None
    plant: Plant
    _reward: Reward
    _ended: Callable[[Mapping[str, float]], object] | None
    _starts: Callable[[np.random.Generator], object] | None
    _observed: tuple[str, ...]
    _length: int
    _count = 0

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, object] | None = None
    ) -> tuple[np.ndarray, dict[str, object]]:
        """To a start: what is seen there, and the time."""
        super().reset(seed=seed, options=options)  # type: ignore[misc]
        if self._starts is not None:
            self.plant = placed(self.plant, self._starts(self.np_random))  # type: ignore[attr-defined]
        self._count = 0
        return self._seen(self.plant.reset()), {"t": self.plant.t}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, object]]:
        """One step: what is seen, the reward, whether it has ended, whether it was cut, and what happened.

        A motion that cannot go on has ended where it was.
        """
        given, info = np.asarray(action, float), dict[str, object]()
        try:
            state = self.plant.step(given.tolist())
        except Singular as error:
            state, info["error"] = self.plant.state, f"{error.code} {error.fact}"
        self._count += 1
        info |= {"t": self.plant.t, **{name: times for name, times in self.plant.happened.items() if times}}
        over = "error" in info or bool(self.plant.stopped_by)
        over = over or (self._ended is not None and bool(self._ended(state)))
        return self._seen(state), float(self._reward(state, given)), over, self._count >= self._length, info

    def _seen(self, state: Columns) -> np.ndarray:
        return np.array([state[name] for name in self._observed], float)


@public
def environment(
    plant: Plant,
    *,
    bounds: Mapping[str, tuple[float, float]],
    reward: Reward,
    ended: Callable[[Mapping[str, float]], object] | None = None,
    starts: Callable[[np.random.Generator], object] | None = None,
    observed: str | Sequence[str] | None = None,
    length: int = 1000,
) -> gymnasium.Env[np.ndarray, np.ndarray]:
    """A plant as an environment of Gymnasium (``pip install 'dalembert[gym]'``), in which an agent drives the inputs.

        env = da.inputs.environment(plant, bounds={"tau": (-1, 1)}, reward=lambda state, action: -state["theta"] ** 2)
        seen, info = env.reset(seed=0)
        seen, reward, ended, cut, info = env.step(env.action_space.sample())

    Args:
        plant: from `da.plant`; the environment goes on with a copy of its own, from the plant's start.
        bounds: least and largest value of each input, by name.
        reward: of the states by name and the inputs (m,), after each step.
        ended: of the states by name; true where an episode is over. It is over too after an event that stops, and where
            the motion cannot go on (``info["error"]``).
        starts: of a random generator, the start of an episode as `da.plant` takes it; by default the plant's own.
        observed: names of the states that the agent sees; all, by default.
        length: steps after which an episode is cut.

    Raises:
        UnknownName: E181 an input that the plant lacks, E317 a state that it lacks.
        WrongType: E182, E307, functions and bounds that are none.
        InvalidValue: E182 bounds that are missing or leave nothing between them; E801, Gymnasium is not installed.
    """
    gym = _gymnasium()
    plant = kind(Plant, plant, "environment").copy()
    seen = plant.states if observed is None else names(observed, "observed")
    for name in seen:
        plant.state[name]  # E317
    low, high = _ends(plant, bounds)
    made: gymnasium.Env[np.ndarray, np.ndarray] = type("Environment", (_Agent, gym.Env), {})()
    made.__dict__.update(
        plant=plant,
        action_space=gym.spaces.Box(low, high, dtype=np.float64),
        observation_space=gym.spaces.Box(-np.inf, np.inf, (len(seen),), np.float64),
        _reward=function(reward, "reward", "state, action"),
        _ended=None if ended is None else function(ended, "ended", "state"),
        _starts=None if starts is None else function(starts, "starts", "rng"),
        _observed=tuple(seen),
        _length=whole(length, "length", least=1),
    )
    return made


def _ends(plant: Plant, bounds: Mapping[str, tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest inputs (m,)."""
    given = mapping(bounds, "bounds", "E182", _BOUNDS)
    plant.check_names(given)
    rows = []
    for name in plant.inputs:
        both = pair(given.get(name))
        if both is None:
            fact = f"the bounds of {name} are two numbers, not {as_given(given[name]) if name in given else 'left out'}"
            raise InvalidValue("E182", fact, _BOUNDS)
        low, high = (number(end, f"a bound of {name}", "E182") for end in both)
        if not low < high:
            raise InvalidValue("E182", f"the bounds of {name}, {low:g} and {high:g}, leave nothing between", _BOUNDS)
        rows.append((low, high))
    ends = np.array(rows, float).reshape(-1, 2)
    return ends[:, 0], ends[:, 1]


def _gymnasium():  # type: ignore[no-untyped-def]
    try:
        import gymnasium
    except ImportError:
        fact = "an environment needs Gymnasium, which is not installed"
        raise InvalidValue("E801", fact, "pip install 'dalembert[gym]'") from None
    return gymnasium
