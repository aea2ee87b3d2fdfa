"""Figures of comparisons and limits: what is drawn is what was found, and it can be printed without colour."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert import penalties
from dalembert.experiment.compare import compare
from dalembert.experiment.limit import limit
from dalembert.numerics.run.simulate import simulate
from dalembert.systems import rolling_disc

pytest.importorskip("matplotlib")

BOTH = [da.nonholonomic, da.vakonomic]


def heisenberg(names="x y z"):
    q = da.coordinates(names)
    a, b, c = q.coordinates
    va, vb, vc = q.velocities
    start = {a.name: 0, b.name: 0.3, c.name: 0, va.name: 1.0, vb.name: 0.5, vc.name: 0.3, "lam_contact": 2.0}
    L = (va**2 + vb**2 + vc**2) / 2
    return da.System(q, L, {"contact": vc - b * va}, title="Heisenberg system"), start


@pytest.fixture
def close():
    """Close a figure after looking at it."""
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


def curves(ax):
    return {line.get_label(): line for line in ax.get_lines()}


def grey(colour):
    from matplotlib.colors import to_rgb

    return len(set(to_rgb(colour))) == 1


@pytest.mark.usefixtures("close")
def test_the_plan_and_the_distance_are_those_found():
    system, start = heisenberg()
    found = compare(system, BOTH, start=start, until=2.0)
    figure = da.draw(found)
    figure.canvas.draw()
    plan, distance = figure.axes
    for label in found.principles:
        x, y = curves(plan)[label].get_data()
        at = found[label].at(np.array([0.0, 2.0]))
        np.testing.assert_allclose([x[0], x[-1]], at["x"])
        np.testing.assert_allclose([y[0], y[-1]], at["y"])
    t, d = curves(distance)["nonholonomic - vakonomic"].get_data()
    shown = ~np.isnan(d)
    np.testing.assert_array_equal(d[shown], found.pairs[0].distance[shown])
    np.testing.assert_array_equal(t, found.t)
    assert distance.get_yscale() == "log"


@pytest.mark.usefixtures("close")
def test_paths_are_told_apart_without_colour():
    system, start = heisenberg()
    figure = da.draw(compare(system, [*BOTH, da.free], start=start, until=1.0))
    for ax in figure.axes:
        assert all(grey(line.get_color()) for line in ax.get_lines())
    looks = [curves(figure.axes[0])[label] for label in ("nonholonomic", "vakonomic", "free")]
    assert len({line.get_linestyle() for line in looks}) == 3
    assert len({line.get_color() for line in looks}) == 3


@pytest.mark.usefixtures("close")
def test_without_a_plan_coordinates_are_drawn_over_time():
    system, start = heisenberg("a b c")
    found = compare(system, BOTH, start=start, until=2.0)
    figure = da.draw(found)
    figure.canvas.draw()
    assert [ax.get_ylabel() for ax in figure.axes[:-1]] == ["a", "b", "c"]
    t, b = curves(figure.axes[1])["vakonomic"].get_data()
    assert t[-1] == 2.0
    assert b[-1] == pytest.approx(found["vakonomic"].at(2.0)["b"])


@pytest.mark.usefixtures("close")
def test_a_path_is_drawn_from_above_and_column_by_column(close):
    system = rolling_disc.system()
    equations = da.nonholonomic(system)
    path = simulate(equations, equations.start(**rolling_disc.START), until=1.0)
    figure = da.draw(path)
    figure.canvas.draw()
    shown = [ax for ax in figure.axes if ax.get_visible()]
    assert [ax.get_title() for ax in shown] == ["y over x", *path.names[: len(shown) - 1]]
    for ax in shown[1:]:
        t, values = ax.lines[-1].get_data()
        assert np.array_equal(values, path.at(t)[ax.get_title()])
    assert shown[0].get_aspect() == 1.0


def test_identical_paths_can_be_drawn():
    system, start = heisenberg()
    figure = da.draw(compare(system, [da.nonholonomic] * 2, start={k: start[k] for k in list(start)[:6]}, until=1.0))
    figure.canvas.draw()


@pytest.mark.usefixtures("close")
def test_the_limit_shows_every_strength_and_a_slope_of_minus_one():
    q = da.coordinates("x y")
    system = da.System(q, (q["vx"] ** 2 + q["vy"] ** 2) / 2 - sp.Integer(1) * q["y"], {"rail": q["vy"]})
    found = limit(
        system,
        penalties.viscous,
        da.nonholonomic,
        start={"x": 0, "y": 0, "vx": 1},
        until=2.0,
        strengths=[1.0, 10.0, 100.0, 1e3, 1e4],
    )
    figure = da.draw(found)
    figure.canvas.draw()
    drawn = curves(figure.axes[0])
    np.testing.assert_array_equal(drawn["error"].get_ydata(), found.errors)
    s, e = drawn["slope -1"].get_data()
    np.testing.assert_allclose(np.diff(np.log(e)) / np.diff(np.log(s)), -1.0)
    fitted = next(line for label, line in drawn.items() if label.startswith("in the regression"))
    assert len(fitted.get_xdata()) == found.asymptotic.sum() < 5
    assert all(grey(line.get_color()) for line in figure.axes[0].get_lines())


def test_what_has_no_figure_is_refused():
    with pytest.raises(da.DalembertError, match="E307"):
        da.draw({"x": [0.0, 1.0]})
