"""Ctrl-C while a record is fitted or candidates are ranked: the best that was reached comes with the interrupt."""

import json
import signal

import numpy as np
import pytest
from click.testing import CliRunner

import dalembert as da
from dalembert.apps.cli import main
from dalembert.apps.process import CONFINED
from dalembert.experiment.fit.model import Model

SPRING = da.free(da.System(da.coordinates("x"), "vx^2/2 - k*x^2/2", parameters={"k": 3}))
DAMPED = da.free(
    da.System(da.coordinates("x"), "vx^2/2 - k*x^2/2", forces={"vx": "-c*vx"}, parameters={"k": 3, "c": 0.1})
)
T = np.linspace(0, 5, 60)
SEEN = da.recorded({"t": T, "x": np.cos(2 * T) + 1e-3 * np.random.default_rng(3).standard_normal(60)})
ASKED = {"start": {"x": 0.9, "vx": 0}, "free": "k x", "starts": 50, "uncertainty": {"x": 1e-3}}
doubted = pytest.mark.filterwarnings("default::dalembert.DalembertWarning")


@pytest.fixture
def pressing(monkeypatch):
    """Ctrl-C is pressed when the numbers of a model are predicted for the n-th time."""
    known, count = Model.at, [0]

    def press_at(*times):
        count[0] = 0

        def at(self, *args, **more):
            count[0] += 1
            for _ in range(times.count(count[0])):
                signal.raise_signal(signal.SIGINT)
            return known(self, *args, **more)

        monkeypatch.setattr(Model, "at", at)

    return press_at


@doubted
@pytest.mark.parametrize("columns", ["x", {"x": lambda path: path.at(T)["x"]}], ids=["tangents", "differences"])
def test_the_best_until_then_comes_with_the_interrupt(pressing, columns):
    """Pressed later and later the fit is better and better, until it is the one that was not interrupted."""
    asked = {**ASKED, "starts": 1, "columns": columns, "until": 5}
    whole, reached = da.fit(SPRING, SEEN, **asked), []
    for n in range(2, 9):
        pressing(n)
        with pytest.raises(KeyboardInterrupt, match=r"sys\.last_value\.fit") as met:
            da.fit(SPRING, SEEN, **asked)
        found = met.value.fit
        assert found.converged or "W560" in {note.code for note in found.notes}
        reached.append(found.chi2)
    assert reached == sorted(reached, reverse=True)
    assert len({*reached}) > 2
    assert reached[-1] == pytest.approx(whole.chi2)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@doubted
def test_a_minimum_that_was_reached_stays_one(pressing):
    pressing(40)
    with pytest.raises(KeyboardInterrupt) as met:
        da.fit(SPRING, SEEN, **ASKED)
    found = met.value.fit
    assert 1 < found.tried < 50
    assert found.converged and found["k"] == pytest.approx(4, abs=0.01)
    assert f"interrupted at start {found.tried} of 50" in str(found.notes)


@doubted
def test_pressed_while_the_best_is_handed_over_it_is_not_lost(pressing):
    pressing(8, 9)
    with pytest.raises(KeyboardInterrupt, match=r"sys\.last_value\.fit"):
        da.fit(SPRING, SEEN, **ASKED)


def test_pressed_three_times_it_stops_at_once(pressing):
    pressing(4, 4, 4)
    with pytest.raises(KeyboardInterrupt) as met:
        da.fit(SPRING, SEEN, **ASKED)
    assert type(met.value) is KeyboardInterrupt


@doubted
def test_a_halt_ends_a_fit_as_it_ends_a_run():
    asked = iter([False] * 30)
    found = da.fit(SPRING, SEEN, **ASKED, halt=lambda: next(asked, True))
    assert found.tried != 50 and "W560" in {note.code for note in found.notes}


@doubted
def test_fits_of_a_ranking_come_with_the_interrupt(pressing):
    pressing(30)
    with pytest.raises(KeyboardInterrupt, match=r"sys\.last_value\.fits") as met:
        da.rank({"free": SPRING, "damped": DAMPED}, SEEN, **{**ASKED, "free": "k x c", "starts": 20})
    assert list(met.value.fits) == ["free"]
    assert met.value.fits["free"]["k"] == pytest.approx(4, abs=0.01)


FILE = """schema = 1
[space]
coordinates = { x = "line" }
[parameters]
k = 3
[lagrangian]
L = "dot(x)^2/2 - k/2*x^2"
[[fit]]
name = "spring"
principles = ["free"]
free = ["x", "k"]
start = { x = 0.9, "dot(x)" = 0 }
uncertainty = { x = 0.001 }
starts = 50
"""


@doubted
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_says_what_was_reached(pressing, monkeypatch, tmp_path, number):
    monkeypatch.setenv(CONFINED, str(tmp_path / "phase"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spring.toml").write_text(FILE)
    np.savetxt("track.csv", np.column_stack([T, SEEN["x"]]), delimiter=",", header="t,x", comments="")
    monkeypatch.setattr(signal, "raise_signal", lambda _, own=signal.raise_signal: own(number))
    pressing(40)
    done = CliRunner().invoke(main, ["fit", "spring.toml", "track.csv", "--json", "--report", "page.html"])
    data = json.loads(done.stdout)
    assert (done.exit_code, data["interrupted"]) == (4, True)
    assert data["fits"][0]["values"]["k"] == pytest.approx(4, abs=0.01)
    assert 1 < data["fits"][0]["tried"] < 50
    assert (tmp_path / "page.html").exists()
