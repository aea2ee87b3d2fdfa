"""E207 of a formula that drives an input gives the lines to write: following them, term by term, ends it."""

import re

import pytest

import dalembert as da

Q = da.coordinates("x", velocities="vx")
GIVEN = {"m": "1 kg", "k": "2 N/m", "g": "9.81 m/s^2"}


def run(formula, parameters):
    system = da.System(Q, "m*vx^2/2 - k*x^2/2 - m*g*x", parameters=parameters, inputs="F", forces={"vx": "F"})
    return da.simulate(da.free(system), {"x": "1 m", "vx": "0.5 m/s"}, until=1, inputs={"F": formula})


@pytest.mark.parametrize(
    ("formula", "terms"), [("-3*x", 1), ("x", 1), ("2*x^2", 1), ("-3*x - 2*vx", 2), ("sin(x)", 1), ("-m*vx", 1)]
)
def test_what_is_proposed_can_be_written(formula, terms):
    parameters, text = dict(GIVEN), formula.replace(" ", "")
    for _ in range(terms):
        with pytest.raises(da.DalembertError, match="E207") as refused:
            run(text, parameters)
        said = re.search(r'parameters={"(\w+)": "([^"]+)"}, and (.+) for (.+)', str(refused.value))
        name, value, new, old = said.groups()
        assert name not in parameters
        parameters[name] = value
        text = text.replace("^", "**").replace(old.strip(), new)
    found = run(text, parameters)
    assert found.ok
    bare = da.System(Q, "m*vx^2/2 - x^2 - 9.81*x", parameters={"m": 1}, inputs="F", forces={"vx": "F"})
    same = da.simulate(da.free(bare), {"x": 1, "vx": 0.5}, until=1, inputs={"F": formula})
    assert found["x"][-1] == pytest.approx(same["x"][-1], rel=1e-9)
