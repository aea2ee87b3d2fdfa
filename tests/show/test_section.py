"""Poincare sections: a dot where an event happened, on the curves that integrable motions have."""

import numpy as np
import pytest

import dalembert as da

plt = pytest.importorskip("matplotlib.pyplot")
EXACT = 1e-9


@pytest.fixture(scope="module")
def cuts():
    """Two oscillators without a coupling, cut where the first one goes through 0 ahead."""
    q = da.coordinates("x y")
    equations = da.free(da.System(q, "(vx^2 + vy^2)/2 - x^2/2 - y^2"))
    event = da.Event("section", q["x"], direction=+1)
    starts = ({"x": 0, "y": y, "vx": -1.0, "vy": 0} for y in (0.3, 0.7))
    return [da.simulate(equations, start, until=60, events=[event]).marks["section"] for start in starts]


def test_a_section_has_a_dot_for_each_time(cuts):
    figure = da.draw(cuts, columns="vy", against="y")
    [ax] = figure.axes
    for marks, line, y in zip(cuts, ax.get_lines(), (0.3, 0.7), strict=True):
        along, up = (np.asarray(values) for values in line.get_data())
        assert line.get_linestyle() == "None" and (along == marks["y"]).all() and (up == marks["vy"]).all()
        # (2 k + 1) pi and then on; y = y0 cos(w t), vy = -w y0 sin(w t), w = sqrt(2): 2 y^2 + vy^2 = 2 y0^2
        assert len(marks) == 10 and marks.t == pytest.approx((2 * np.arange(10) + 1) * np.pi, abs=EXACT)
        assert along == pytest.approx(y * np.cos(np.sqrt(2) * marks.t), abs=EXACT)
        assert 2 * along**2 + up**2 == pytest.approx(2 * y**2, abs=EXACT)
    colours = [line.get_color() for line in ax.get_lines()]
    assert colours[0] != colours[1]
    plt.close(figure)


def test_one_event_over_time_and_into_given_axes(cuts):
    figure = da.draw(cuts[0], columns="y vy")
    assert len(figure.axes) == 2
    assert (figure.axes[1].get_lines()[0].get_xdata() == cuts[0].t).all()
    fig, ax = plt.subplots()
    assert da.draw(cuts[0], columns="y", ax=ax) is fig
    plt.close(figure)
    plt.close(fig)


def test_what_a_section_cannot_show_is_refused(cuts):
    ax = plt.subplots()[1]
    with pytest.raises(da.DalembertError, match="E307 one pair of Axes holds one column"):
        da.draw(cuts, columns="y vy", ax=ax)
    with pytest.raises(da.DalembertError, match="E317"):
        da.draw(cuts, columns="z")
    q = da.coordinates("x")
    path = da.simulate(da.free(da.System(q, "vx^2/2")), {"x": 1, "vx": 1}, until=1, events=[da.Event("cut", q["x"])])
    with pytest.raises(da.DalembertError, match="E307 the event never happened"):
        da.draw(path.marks["cut"])
    plt.close(ax.figure)
