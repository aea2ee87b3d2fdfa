"""What is handed over: starts of other systems, tables changed later, paths copied, masses that are none."""

import copy
import pickle

import numpy as np
import pytest

import dalembert as da

SPACE = da.line("x", "vx")
SPRING = da.free(da.System(SPACE, "m/2*vx^2 - k/2*x^2", parameters={"m": 1.0, "k": 4.0}))
PLAIN = da.free(da.System(SPACE, "vx^2/2"))
START = {"x": 1.0, "vx": 0.0}


def test_a_path_is_copied_and_not_pickled():
    path = da.simulate(SPRING, START, until=0.1)
    copied = copy.deepcopy(path)
    copied["x"][:] = 0.0
    assert path["x"][0] == copied.at(0.0)["x"] == 1.0
    assert copied.audit.notes == path.audit.notes
    with pytest.raises(da.DalembertError, match="cannot be pickled") as met:
        pickle.dumps(path)
    assert "path.save(" in met.value.remedy


def test_a_table_keeps_what_it_was_given():
    x = np.array([1.0, 2.0])
    table = da.ensembles.table({"x": x})
    x[:] = 9.0
    assert list(table.columns["x"]) == [1.0, 2.0]


@pytest.mark.parametrize(
    "asked, code, word",
    [
        (lambda: da.simulate(PLAIN, SPRING.start(**START), until=1), "E241", "m, k is nothing here"),
        (lambda: SPRING.evaluate(START, {"m": 0.0}), "E107", "with m = 0"),
        (lambda: SPRING.evaluate(START, {"m": -2.0}), "E108", "with m = -2"),
        (lambda: da.free(da.System(SPACE, "m*vx^2", parameters={"m": 0})), "E107", "with m = 0"),
        (lambda: da.symmetry.spin("R", (0, 0, 0)), "E125", "no direction"),
    ],
)
def test_the_message_names_what_is_wrong(asked, code, word):
    with pytest.raises(da.DalembertError, match=word) as met:
        asked()
    assert met.value.code == code
    assert met.value.remedy
