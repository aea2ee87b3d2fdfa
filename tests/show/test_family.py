"""Bifurcation diagrams: stable and unstable motions differ in their lines, special points have marks by their kind."""

import math

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.errors import UnknownName

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(scope="module")
def hoop():
    """A pendulum in a turning hoop."""
    q, w = da.coordinates("theta"), sp.Symbol("w", positive=True)
    theta, rate = q["theta"], q["vtheta"]
    L = (rate**2 + w**2 * sp.sin(theta) ** 2) / 2 + 4 * sp.cos(theta)
    return da.free(da.System(q, L, parameters={"w": 1.0}))


@pytest.fixture(scope="module")
def branches(hoop):
    """Hanging still, which loses its stability at w = 2, and the tilted motions that begin there."""
    hanging = da.continue_steady(hoop, parameter="w", start=da.steady(hoop, {"theta": 0}), over=(0.5, 4.0))
    tilted = da.steady(hoop, {"theta": 1.0}, parameters={"w": 3.0})
    return hanging, da.continue_steady(hoop, parameter="w", start=tilted, over=(0.5, 4.0))


def _styles(ax):
    """{style: (lowest, highest) along x} of the curves."""
    lines = [line for line in ax.get_lines() if line.get_linestyle() != "None"]
    return {line.get_linestyle(): (min(line.get_xdata()), max(line.get_xdata())) for line in lines}


def test_lines_are_stable_and_dashes_are_not(branches):
    figure = da.draw(branches[0], columns="theta")
    styles = _styles(figure.axes[0])
    assert set(styles) == {"-", "--"}
    assert styles["-"][0] == pytest.approx(0.5)
    assert styles["--"][1] == pytest.approx(4.0)
    # no gap between them, and the change is at the special point to within a step
    assert styles["-"][1] == styles["--"][0]
    step = np.abs(np.diff(branches[0]["w"])).max()
    assert abs(styles["-"][1] - 2) <= step
    plt.close(figure)


def test_a_special_point_stands_where_it_is(branches):
    figure = da.draw(branches[0], columns="theta")
    (mark,) = (line for line in figure.axes[0].get_lines() if line.get_linestyle() == "None")
    assert mark.get_label() == "branch point"
    assert mark.get_xdata()[0] == pytest.approx(2.0, abs=1e-6)
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["branch point"]
    plt.close(figure)


def test_what_does_not_change_is_left_out_and_branches_share_axes(branches):
    figure = da.draw(branches[1])
    assert len([ax for ax in figure.axes if ax.get_visible()]) == 1  # theta, and not its rate
    fork, ax = plt.subplots()
    for branch in branches:
        assert da.draw(branch, columns="theta", ax=ax, colours="tab:red") is fork
    # w^2 cos(theta) = 4
    curves = [line for line in ax.get_lines() if line.get_linestyle() == "-" and np.ptp(line.get_ydata()) > 0.1]
    w, theta = (
        np.concatenate([line.get_xdata() for line in curves]),
        np.concatenate([line.get_ydata() for line in curves]),
    )
    assert w**2 * np.cos(theta) == pytest.approx(np.full(len(w), 4.0), abs=1e-6)
    assert np.abs(theta).max() == pytest.approx(math.acos(4 / 16), abs=1e-6)
    with pytest.raises(UnknownName, match="E317"):
        da.draw(branches[0], columns="psi")
    plt.close("all")


def test_branches_of_one_parameter_are_drawn_together(branches):
    figure = da.draw(list(branches), columns="theta")
    (ax,) = figure.axes
    apart = [da.draw(branch, columns="theta").axes[0] for branch in branches]
    drawn = [line.get_xydata() for line in ax.get_lines()]
    assert len(drawn) == sum(len(one.get_lines()) for one in apart)
    for found, line in zip(drawn, [line for one in apart for line in one.get_lines()], strict=True):
        np.testing.assert_array_equal(found, line.get_xydata())
    assert len({line.get_color() for line in ax.get_lines() if line.get_linestyle() in ("-", "--")}) == 2
    assert "switch(place)" in str(branches[0])
    with pytest.raises(da.DalembertError, match="E307 there is no figure of list"):
        da.draw([branches[0], 3])


def test_a_column_that_is_asked_for_as_an_attribute_is_named(hoop):
    path = da.simulate(hoop, {"theta": 0.1, "vtheta": 0}, until=0.1)
    with pytest.raises(AttributeError, match=r'energy is a column of the path: path\["energy"\]'):
        _ = path.energy
    assert not hasattr(path, "anything")
