"""Figures of comparisons and limits: what is drawn is what was found, and it can be printed without colour."""

import builtins

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert import penalties
from dalembert.experiment.compare import compare
from dalembert.experiment.penalty_limit import limit
from dalembert.numerics.run.simulate import simulate
from dalembert.show.figure_style import pyplot
from dalembert.show.sweep import members_of
from dalembert.show.top_view import PlanView, plan_views
from dalembert.systems import ball_on_turntable, rolling_disc

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
    looks = [curves(figure.axes[0])[label] for label in ("nonholonomic", "vakonomic", "free")]
    assert len({line.get_linestyle() for line in looks}) == 3
    assert len({line.get_color() for line in looks}) == 3


@pytest.mark.usefixtures("close")
def test_without_a_plan_coordinates_are_drawn_over_time():
    system, start = heisenberg("a b c")
    found = compare(system, BOTH, start=start, until=2.0)
    figure = da.draw(found)
    figure.canvas.draw()
    assert [ax.get_ylabel() for ax in figure.axes[:-1]] == ["$a$", "$b$", "$c$"]
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
    assert [ax.lines[-1].get_label() for ax in shown[1:]] == list(path.names)
    for ax in shown[1:]:
        t, values = ax.lines[-1].get_data()
        assert np.array_equal(values, path.at(t)[ax.lines[-1].get_label()])
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


def skates(**parameters):
    q = da.coordinates("x y theta")
    L = "m*(vx^2 + vy^2)/2 + m*r^2*vtheta^2/2"
    blade = {"blade": "vy*cos(theta) - vx*sin(theta)"}
    return da.System(q, L, blade, parameters={"m": "2 kg", "r": "1 m", **parameters})


@pytest.fixture(scope="module")
def skated():
    equations = da.nonholonomic(skates())
    return simulate(equations, equations.start(x=0, y=0, theta=0, vx=1, vtheta=0), until=2.0)


@pytest.mark.usefixtures("close")
def test_what_is_constant_to_rounding_is_drawn_flat_and_said_so(skated):
    figure = da.draw(skated)
    for ax in figure.axes[1 : 1 + len(skated.names)]:
        name = ax.lines[-1].get_label()
        low, high = ax.get_ylim()
        flat = np.ptp(skated[name]) < 1e-9
        assert flat == any(text.get_text().startswith("constant") for text in ax.texts)
        assert high - low > (1e-3 if flat else 0)


@pytest.mark.usefixtures("close")
def test_every_column_that_is_not_drawn_is_counted(skated, monkeypatch):
    from dalembert.show import path_figure

    monkeypatch.setattr(path_figure, "MOST", 5)
    figure = da.draw(skated)
    drawn = sum(ax.get_visible() for ax in figure.axes) - 1
    assert f"{len(skated.names) - drawn} more columns" in figure.get_supxlabel()


def test_rotations_come_after_velocities_and_multipliers_have_the_names_of_their_constraints():
    from dalembert.calculus.symbol_letters import letter, multiplier
    from dalembert.show.figure_style import in_order, symbol

    names = ["x", "R_w", "R_x", "R_y", "R_z", "w1", "lam_roll_x", "lam_roll_y", "energy"]
    assert in_order(names) == ["x", "w1", "lam_roll_x", "lam_roll_y", "energy", "R_w", "R_x", "R_y", "R_z"]
    assert in_order(["a_x", "a_y", "w1"]) == ["a_x", "a_y", "w1"]
    for name in ("theta", "J_1", "wL", "m12", "x_dot", "omega2", "varphi", "a_b_c", "R_w", "energy"):
        assert symbol(name) == f"${letter(name)}$"  # one name, one letter, in equations and figures
        assert symbol(f"lam_{name}") == f"${multiplier(name)}$"
    assert symbol("vtheta") == r"$v_{\theta}$" and symbol("vx") == "$v_{x}$"
    assert symbol("lam_roll_y") == r"$\lambda_{\mathrm{roll},y}$" and symbol("w1") == "$w_{1}$"
    assert [symbol(name) for name in ("5$%", "a}b", "lam_a}b")] == [r"5\$%", "a}b", r"$\lambda_{\mathrm{a b}}$"]


@pytest.mark.usefixtures("close")
def test_units_that_are_known_stand_on_the_axes(skated):
    figure = da.draw(skated, columns="x vx")
    assert [ax.get_xlabel() for ax in figure.axes] == ["$t$ (s)"] * 2
    assert [ax.get_ylabel() for ax in figure.axes] == ["$x$ (m)", "$v_{x}$ (m/s)"]


@pytest.mark.usefixtures("close")
def test_columns_axes_and_colours_are_those_asked_for(skated):
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots()
    assert da.draw(skated, columns="vx x", against="y", ax=ax, colours=["red", "#00ff00"]) is figure
    assert [line.get_color() for line in ax.lines] == ["#ff0000", "#00ff00"]
    assert [line.get_label() for line in ax.lines] == ["$v_{x}$ (m/s)", "$x$ (m)"]
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), ax.lines[1].get_xdata())


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        ({"columns": "vz"}, "E317"),
        ({"columns": 3}, "E317"),
        ({"columns": []}, "E317"),
        ({"against": "q"}, "E317"),
        ({"against": "x y"}, "E307"),
        ({"ax": "left"}, "E307"),
        ({"colours": "no such colour"}, "E307"),
        ({"colours": []}, "E307"),
        ({"colours": 7}, "E307"),
    ],
)
def test_a_wish_that_makes_no_sense_is_refused(skated, wish, code):
    with pytest.raises(da.DalembertError, match=code):
        da.draw(skated, **wish)


@pytest.fixture(scope="module")
def swept():
    pytest.importorskip("xarray")
    equations = da.nonholonomic(skates())
    stop = da.Event("far", equations.space["x"] - 1, "stop")
    fixed = {"x": 0, "y": 0, "theta": 0}
    grid = {"vx": np.linspace(0.1, 3, 5), "vtheta": np.array([0.5, 1.0])}
    return da.sweep(
        equations, starts={**fixed, **grid}, parameters={"m": [1.0, 2.0]}, until=1.0, events=[stop], rtol=1e-8
    )


@pytest.mark.usefixtures("close")
@pytest.mark.parametrize("fixed", [{"m": 1.0, "vtheta_start": 0.5}, {"m": 1.0}, {}])
def test_a_sweep_of_one_two_and_three_axes_shows_its_numbers_and_rings_the_stopped(swept, fixed):
    part = swept.sel(fixed)
    figure = da.draw(part, columns="y")
    figure.canvas.draw()
    panels = [ax for ax in figure.axes if ax.get_visible()]
    assert len(panels) == (1 if fixed else 2)
    curves = [line for ax in panels for line in ax.lines if line.get_linestyle() != "None"]
    rings = [line for ax in panels for line in ax.lines if line.get_linestyle() == "None"]
    np.testing.assert_allclose(
        np.sort(np.concatenate([c.get_ydata() for c in curves])), np.sort(part["y"].values, axis=None)
    )
    assert sum(len(r.get_xdata()) for r in rings) == int((part.outcome == 1).sum()) > 0


@pytest.fixture(scope="module")
def ways():
    """Members over time, some stopped on the way."""
    pytest.importorskip("xarray")
    equations = da.nonholonomic(skates())
    stop = da.Event("far", equations.space["x"] - 1, "stop")
    grid = {"vx": np.linspace(0.1, 3, 7), "vtheta": np.array([0.1, 0.5, 1.0])}
    times = np.linspace(0, 1, 41)
    starts = {"x": 0, "y": 0, "theta": 0, **grid}
    return da.sweep(equations, starts=starts, times=times, until=1.0, events=[stop], rtol=1e-8)


def split(ax):
    """Curves, rings."""
    rings = [line for line in ax.lines if line.get_markerfacecolor() == "white"]
    return [line for line in ax.lines if line.get_linestyle() != "None"], rings


@pytest.mark.usefixtures("close")
def test_a_family_over_time_has_a_ring_where_a_member_was_stopped(ways):
    figure = da.draw(ways, columns="y")
    lines, rings = split(figure.axes[0])
    y = ways["y"].transpose("vx_start", "vtheta_start", "time").values.reshape(-1, 41)
    assert len(lines) == 21
    for line, way in zip(lines, y, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), way)
    stopped = ways.outcome.transpose("vx_start", "vtheta_start").values.ravel() == 1
    last = [way[np.isfinite(way)][-1] for way in y[stopped]]
    assert 0 < stopped.sum() < 21 and [ring.get_ydata()[0] for ring in rings] == last


@pytest.mark.usefixtures("close")
def test_two_axes_over_time_are_told_apart_by_shade_and_style(ways):
    figure = da.draw(ways, columns="x y")
    (legend,) = figure.legends
    entries = {text.get_text(): line for text, line in zip(legend.get_texts(), legend.get_lines(), strict=True)}
    assert [text for text in entries if "$" in text] == ["$v_{x}$(0) (m/s)", r"$v_{\theta}$(0) (1/s)"]
    lines, _ = split(figure.axes[0])
    looks = {(line.get_color(), line.get_linestyle()) for line in lines}
    assert len(looks) == 21 and len({c for c, _ in looks}) == 7 and len({s for _, s in looks}) == 3
    shown = {(line.get_color(), line.get_linestyle()) for line in legend.get_lines()}
    assert {c for c, _ in looks} <= {c for c, _ in shown} and {s for _, s in looks} <= {s for _, s in shown}


@pytest.mark.usefixtures("close")
def test_members_that_are_not_drawn_are_counted(ways, monkeypatch):
    from dalembert.show import sweep

    assert "are drawn" not in da.draw(ways, columns="y").get_supxlabel()
    monkeypatch.setattr(sweep, "CURVES", 12)
    figure = da.draw(ways, columns="y")
    assert len(split(figure.axes[0])[0]) == 12
    assert "12 of 21 members are drawn" in figure.get_supxlabel()


@pytest.mark.usefixtures("close")
def test_ways_are_drawn_over_another_column_and_go_by_another_axis(ways):
    lines, _ = split(da.draw(ways, columns="vy", against="x").axes[0])
    np.testing.assert_array_equal(lines[-1].get_xdata(), ways["x"].isel(vx_start=-1, vtheta_start=-1))
    lines, _ = split(da.draw(ways, columns="vy", against="vtheta_start").axes[0])
    assert len({line.get_color() for line in lines}) == 3


@pytest.mark.usefixtures("close")
def test_rows_of_a_table_stand_where_their_start_is_and_are_not_joined():
    pytest.importorskip("xarray")
    equations = da.nonholonomic(skates())
    vx = np.array([3.0, 1.0, 2.0, 0.5])
    table = da.ensembles.table(
        {"x": np.zeros(4), "y": np.zeros(4), "theta": np.zeros(4), "vx": vx, "vtheta": np.ones(4)}
    )
    found = da.sweep(equations, starts=table, until=1.0, rtol=1e-8)
    (ax,) = da.draw(found, columns="x").axes
    line = ax.lines[0]
    np.testing.assert_array_equal(line.get_xdata(), np.sort(vx))
    np.testing.assert_array_equal(line.get_ydata(), found["x"].values[np.argsort(vx)])
    assert line.get_linestyle() == "None" and ax.get_xlabel() == "$v_{x}$(0) (m/s)"


@pytest.mark.usefixtures("close")
def test_panels_of_a_third_axis_have_one_range(swept):
    panels = [ax for ax in da.draw(swept, columns="y").axes if ax.get_visible()]
    assert len({ax.get_ylim() for ax in panels}) == 1
    assert panels[0].get_ylim()[1] >= swept["y"].max()


@pytest.fixture(scope="module")
def mixed():
    """k/x attracts: members fall in and fail, fly off and are stopped, or reach the end; some at a loose tolerance."""
    pytest.importorskip("xarray")
    space = da.coordinates("x y")
    system = da.System(space, "(vx**2 + vy**2)/2 + k/x", parameters={"k": 1.0}, title="Falling to a centre")
    options = {"until": 3.0, "events": [da.Event("far", space["x"] - 2, "stop")], "rtol": 2e-5}
    starts = {"x": 1.0, "y": 0.0, "vx": np.linspace(-1, 3, 9), "vy": 0.0}
    with pytest.warns(da.DalembertWarning, match="W306"):
        return da.sweep(da.free(system), starts=starts, parameters={"k": np.array([0.5, 1, -1, 2])}, **options)


def marked(panel, marker):
    return sum(len(line.get_xdata()) for line in panel.lines if line.get_marker() == marker)


@pytest.mark.usefixtures("close")
def test_members_that_fail_or_are_doubted_are_counted_and_marked(mixed):
    # k > 0 from rest or inwards falls into x = 0; v^2/2 - k/x < 0 turns back; k < 0 is pushed out
    outcome, verdict = mixed.outcome.values, mixed.verdict.values
    lost, suspect = (outcome > 1), (outcome <= 1) & (verdict == 1)
    assert lost[0].tolist() == [True, True, False, True] and 0 < suspect.sum() < (~lost).sum()
    figure = da.draw(mixed, columns="vx")
    (panel,) = (ax for ax in figure.axes if ax.get_visible())
    assert marked(panel, "x") == lost.sum() and marked(panel, "D") == suspect.sum()
    assert marked(panel, "o") == (outcome == 1).sum()
    foot = members_of(mixed).foot[0]
    assert foot == (
        f"36 members, {(outcome == 1).sum()} were stopped by an event (rings), {suspect.sum()} are suspect (diamonds), "
        f"{lost.sum()} have no result (E403; crosses)"
    )


def test_the_table_of_a_sweep_marks_what_is_doubted_beside_how_it_ended(mixed):
    lines = da.ensembles.summary(mixed.isel(k=slice(2, 4))).splitlines()
    ends = {tuple(line.split()[:2]): line.split()[5:] for line in lines if line.startswith("  ") and "." in line}
    assert ends["-1", "2"] == ["E403"]
    for vx, k in (("-1", "-1"), ("3", "2")):
        found = mixed.sel(vx_start=float(vx), k=float(k))
        assert ends[vx, k] == ["event", *["suspect"] * int(found.verdict)] and found.outcome == 1


def test_a_multiplier_has_one_letter_in_sweeps_paths_and_equations():
    pytest.importorskip("xarray")
    system = ball_on_turntable.system()
    start = {**ball_on_turntable.START, "w3": 0, "lam_roll_x": 0, "lam_roll_y": np.array([0.0, 1.0])}
    equations, letter = da.vakonomic(system), r"\lambda_{\mathrm{roll},y}"
    m = members_of(da.sweep(equations, keep=["lam_roll_y", "lam_roll_x"], starts=start, until=0.1, rtol=1e-8))
    assert m.label("lam_roll_y_start") == f"${letter}$(0)" and m.label("lam_roll_y") == f"${letter}$"
    assert letter in equations.latex()
    path = da.simulate(equations, {**start, "lam_roll_y": 1.0}, until=0.1)
    figure = da.draw(path, columns="x lam_roll_y")
    assert any(letter in ax.get_ylabel() + ax.get_title() for ax in figure.axes)
    assert "multipliers" not in figure.get_supxlabel()


@pytest.mark.parametrize("wish", [{"columns": "nothing"}, {"against": "nothing"}])
def test_a_sweep_refuses_what_it_has_not(swept, wish):
    with pytest.raises(da.DalembertError, match="E317"):
        da.draw(swept, **wish)


@pytest.mark.usefixtures("close")
@pytest.mark.parametrize(("spread", "large"), [(0.2, True), (9.0, False)])
def test_a_family_that_takes_little_of_a_table_is_drawn_large_and_whole(spread, large):
    q = da.coordinates("x y")
    equations = da.free(da.System(q, "(vx^2 + vy^2)/2"))
    starts = [{"x": 10, "y": 0, "vx": v, "vy": 5} for v in np.linspace(-spread, spread / 3, 7)]
    paths = [simulate(equations, equations.start(**each), until=2.0) for each in starts]
    figure = plan_views([PlanView("a", paths, list("0123456"))], 15.0, "title")
    figure.canvas.draw()
    (ax,) = figure.axes
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    for path in paths:
        assert (left < path["x"]).all() and (path["x"] < right).all()
        assert (low < path["y"]).all() and (path["y"] < high).all()
    assert right - left == pytest.approx(high - low)
    assert (right - left < 15) == large and (right - left == pytest.approx(36)) != large
    # a small picture of the whole table has the part that is seen
    assert len(ax.child_axes) == large
    for inset in ax.child_axes:
        x, y = inset.lines[-1].get_data()
        np.testing.assert_allclose([x.min(), x.max(), y.min(), y.max()], [left, right, low, high])
        assert inset.get_xlim() == (-18, 18)
    # values that would lie on each other are left out, from the first on
    words = [text.get_text() for text in ax.texts if text.get_text()]
    assert words[0] == "0"
    places = np.array([text.get_position() for text in ax.texts if text.get_text()])
    gaps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert gaps.min() > 0.07 * (right - left) / 2


def test_what_has_no_figure_is_refused():
    with pytest.raises(da.DalembertError, match="E307"):
        da.draw({"x": [0.0, 1.0]})


def test_a_backend_that_matplotlib_does_not_know_is_told(monkeypatch):
    def refuses(name, *more, known=builtins.__import__):
        if name == "matplotlib.pyplot":
            raise ValueError("Key backend: 'nonsense' is not a valid value")
        return known(name, *more)

    monkeypatch.setenv("MPLBACKEND", "nonsense")
    monkeypatch.setattr(builtins, "__import__", refuses)
    with pytest.raises(da.DalembertError, match=r"^E801 .*'nonsense', which MPLBACKEND names"):
        pyplot()
