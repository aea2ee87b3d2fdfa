"""What is asked of a record, as values: keywords fall into their places, odd values are refused before any work."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.question import Guess, Likelihood, Question, Runs, Search


def test_keywords_fall_into_their_places():
    asked = Question.of(
        {"start": {"x": 1}, "free": "x", "loss": "huber", "starts": 4, "until": 2.0, "rtol": 1e-8, "bounds": None}
    )
    runs = Runs(until=2.0, options={"rtol": 1e-8})
    assert asked == Question(Guess({"x": 1}, "x"), Likelihood(loss="huber"), Search(4), runs)


def test_the_word_options_is_no_way_around_the_check_of_options():
    assert Question.of({"options": {"rtl": 1}}).runs.options == {"options": {"rtl": 1}}


@pytest.mark.parametrize("wrong", [{"starts": 0}, {"starts": True}, {"starts": 2.5}, {"seed": -1}, {"spread": "wide"}])
def test_odd_searches_are_refused(wrong):
    with pytest.raises(DalembertError, match="E307"):
        Search(**wrong).checked()


def test_numbers_of_numpy_become_plain():
    assert Search(np.int64(3), np.float32(0.5), np.int8(2)).checked() == Search(3, 0.5, 2)


@pytest.mark.parametrize(
    ("code", "wrong"), [("E559", {"loss": "huber"}), ("E307", {"seed": -1}), ("E307", {"events": [1]})]
)
def test_a_plan_refuses_what_it_would_not_heed(code, wrong):
    q = da.coordinates("x", velocities="vx")
    system = da.System(q, q["vx"] ** 2 / 2)
    pair = {"one": da.nonholonomic(system), "other": da.free(system)}
    with pytest.raises(DalembertError, match=code):
        da.plan(pair, vary={"vx": [1.0]}, start={"x": 0}, free="vx", uncertainty={"x": 0.1}, until=1.0, **wrong)
