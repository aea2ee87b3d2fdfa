"""Fragments for a notebook: what is shown is what is there, hostile text is text, nothing else is needed."""

import dataclasses
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import sympy as sp

import dalembert as da
import pages
from dalembert import display
from dalembert.apps.notebook import html
from dalembert.show.html import svg as drawn
from dalembert.show.html.curve_sampling import SampledPath, thinned
from dalembert.show.html.equations import motion
from dalembert.show.html.markup import Html, maths, number, plain, tag, text
from dalembert.show.html.system import dotted, letter, multiplier
from dalembert.systems import appell_hamel, ball_on_turntable, heisenberg, penny

HOSTILE = "</script><img src=x onerror=alert(1)>\x1b[31m\x00\u202e&amp;\"'"


def renamed(path, title):
    return dataclasses.replace(path, provenance={**path.provenance, "title": title})


# --- markup ----------------------------------------------------------------------------------------------------------


def test_what_is_not_markup_becomes_text():
    made = tag("p", HOSTILE, tag("b", "<", title='"><script>'), class_='a"b')
    assert not pages.harmless(made)
    page = pages.Page(made)
    assert page.tags == {"p", "b"}
    assert "</script><img src=x onerror=alert(1)>" in page.words


def test_control_characters_and_colours_of_a_terminal_are_left_out():
    assert plain("a\x1b[31mb\x1b]8;;x\x07c\x00\u202ed\ud800") == "abcd"
    assert plain("two\nlines\tand a tab") == "two\nlines\tand a tab"


def test_a_number_is_there_to_the_last_bit():
    value = 0.1 + 0.2
    page = pages.Page(number(value))
    assert page.numbers == [value]
    assert page.words == "0.3"


def test_markup_is_kept_and_text_is_not():
    assert text(Html("<b>")) == "<b>"
    assert text("<b>") == "&lt;b&gt;"


# --- formulas --------------------------------------------------------------------------------------------------------


def test_names_are_typeset_as_they_are_read():
    assert letter("w1") == "w_{1}"
    assert letter("Omega") == "\\Omega"
    assert letter("lean") == "\\mathrm{lean}"
    assert letter("roll_x") == "\\mathrm{roll}_{x}"
    assert multiplier("roll_x") == "\\lambda_{\\mathrm{roll},x}"
    assert dotted("w_{1}") == "\\dot{w}_{1}"
    assert dotted(dotted("x")) == "\\ddot{x}"


def test_a_formula_is_mathml():
    pytest.importorskip("latex2mathml")
    made = maths(r"\frac{m \dot{x}^{2}}{2}")
    assert {"math", "mfrac", "msup", "mover"} <= pages.Page(made).tags
    assert not pages.harmless(made)


@pytest.mark.parametrize("latex", [r"\left( x", r"\frac{1", "x" * 50_000, r"\href{javascript:alert(1)}{x}", "\\", "}{"])
def test_what_is_no_formula_is_shown_as_its_source(latex):
    made = maths(latex)
    assert not pages.harmless(made)
    assert "javascript:" not in "".join(pages.Page(made).addresses)
    pages.tree(made)


def test_without_the_converter_formulas_are_shown_as_latex(monkeypatch):
    from dalembert.show.html import markup

    monkeypatch.setitem(sys.modules, "latex2mathml.converter", None)
    markup._mathml.cache_clear()
    try:
        made = html(da.nonholonomic(penny.system()))
    finally:
        markup._mathml.cache_clear()
    assert "<math" not in made
    assert r"\lambda_{\mathrm{along}}" in made
    assert not pages.harmless(made)


@pytest.mark.parametrize("system", [ball_on_turntable, appell_hamel, heisenberg, penny])
def test_the_rows_shown_are_the_equations_of_motion(system):
    """At a random state the rows vanish with the accelerations and multipliers that `accelerations` computes."""
    given, rng = system.system(), np.random.default_rng(7)
    for principle in (da.nonholonomic, da.vakonomic):
        equations = principle(given)
        values = {**given.values(), **{n: float(rng.uniform(0.2, 1.0)) for n in equations.states}, "t": 0.0}
        udot, mu = equations.accelerations(values)
        # states are off the constraints: the rows of motion hold for the udot and mu of any state
        known = {f"{u.name}:dot": v for u, v in zip(equations.space.velocities, udot, strict=True)}
        states = bool(equations.states_of_multipliers)
        known |= {f"{s.name}{':dot' * states}": v for s, v in zip(equations.multipliers, mu, strict=True)}
        for left, right in motion(equations):
            row = sum(e for e, _ in left) - sum(e for e, _ in right)
            row = sp.sympify(row).xreplace({s: sp.Float({**values, **known}[s.name]) for s in row.free_symbols})
            assert abs(float(row)) < 1e-9


@pytest.mark.parametrize("system", [ball_on_turntable, appell_hamel, heisenberg, penny])
def test_the_principles_share_the_left_side_and_part_in_one_term(system):
    """EL_a(L) = Q_a + lam_s N^s_a and EL_a(L) = Q_a + lamdot_s N^s_a + lam_s EL_a(phi^s) [lewis1995 (2.1), (2.2)]."""
    given = system.system()
    one, other = list(motion(da.nonholonomic(given))), list(motion(da.vakonomic(given)))
    lam = da.nonholonomic(given).multipliers
    rates = {sp.Symbol(f"{s.name}:dot"): s for s in lam}
    extra = 0
    for (left, right), (left_v, right_v) in zip(one, other, strict=True):
        assert sp.simplify(left[0][0] - left_v[0][0]) == 0
        kinds = {kind: e for e, kind in right_v}
        assert sp.simplify({kind: e for e, kind in right}["reaction"] - kinds["rate"].xreplace(rates)) == 0
        assert not kinds["rate"].free_symbols & set(lam)
        assert not kinds["extra"].free_symbols & set(rates)
        extra += kinds["extra"] != 0
    assert extra


@pytest.mark.parametrize("principle", [da.nonholonomic, da.vakonomic, da.free])
def test_the_principle_is_written_once(principle):
    """As a formula; the line in plain letters below it says what the formula does not."""
    pytest.importorskip("latex2mathml")
    equations = principle(penny.system())
    said, plain = html(equations), str(equations).splitlines()[1]
    assert plain.startswith("EL_a(L")
    assert "EL_a(" not in said
    assert plain.rpartition(": ")[2].rpartition("= Q_a, ")[2] in said


def test_the_term_that_differs_is_marked_and_explained():
    pytest.importorskip("latex2mathml")
    classes = [a.get("class", "") for _, a in pages.Page(html(da.vakonomic(heisenberg.system()))).elements]
    assert "term extra" in classes
    assert "term rate" in classes
    classes = [a.get("class", "") for _, a in pages.Page(html(da.nonholonomic(heisenberg.system()))).elements]
    assert "term reaction" in classes
    assert "term extra" not in classes


# --- figures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high"),
    [(0.0, 1.0), (-3e-9, 5e-9), (1e6, 3e6), (9.81, 9.81), (1.0, 1.0 + 1e-7), (-1e299, 1e299), (0.0, 0.0)],
)
def test_an_axis_has_few_labels_that_say_what_they_are(low, high):
    axis = drawn.linear(np.array([low, high]))
    assert 2 <= len(axis.labels) <= 2 * drawn.FEW
    assert len(set(axis.labels)) == len(axis.labels)
    assert axis.low <= low <= high <= axis.high
    power = re.search("10([\u207b⁰¹²³⁴⁵⁶⁷⁸⁹]+)", axis.note)
    factor = 10.0 ** int(power.group(1).translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))) if power else 1.0
    added = re.search("([+\u2212][0-9][0-9.e+\u2212]*)$", axis.note)
    base = float(added.group().replace("\u2212", "-")) if added else 0.0
    step = axis.at[1] - axis.at[0]
    for place, label in zip(axis.at, axis.labels, strict=True):
        assert float(label.replace("\u2212", "-")) * factor + base == pytest.approx(place, abs=1e-3 * step, rel=1e-9)


def test_no_peak_is_lost_by_thinning():
    t = np.linspace(0, 1, 20_001)
    v = np.sin(400 * t)
    v[7777] = 5.0
    s, w = thinned(t, v)
    assert len(s) < 1000
    assert np.all(np.diff(s) > 0)
    assert (w.max(), w.min()) == (5.0, v.min())
    assert (s[0], s[-1], w[-1]) == (0.0, 1.0, v[-1])


def course(svg):
    """The points of the curves of one figure, in the picture."""
    paths = [p.get("d") for p in svg.iter() if p.tag.endswith("path") and p.get("stroke-linejoin")]
    return [
        np.array([[float(v) for v in xy.split()] for xy in re.findall(r"[ML](\S+ \S+?)(?=[MLh]|$)", d)]) for d in paths
    ]


def test_curves_are_those_of_the_path(rolled):
    """Places in the picture are an affine map of the columns: extremes and ends lie where they should."""
    figures = {title: svg for title, _, svg in pages.svgs(html(rolled))}
    assert "y over x, from the dot to the cross" in figures  # and not from above: the plane may stand upright
    points = course(figures["y over time"])[0]
    t, y = SampledPath.of(rolled).over_time("y")
    x = (points[:, 0] - points[0, 0]) / (points[-1, 0] - points[0, 0])
    assert x[-1] == 1.0
    up = points[:, 1].max() - points[:, 1]
    height = (y - y.min()) / (y.max() - y.min())
    at = np.interp((t - t[0]) / (t[-1] - t[0]), x, up / up.max())
    np.testing.assert_allclose(at, height, atol=0.02)  # a tenth of a pixel in 100, and what is left out between


def test_every_figure_has_a_text_alternative(rolled, compared):
    for noun in (rolled, compared):
        figures = pages.svgs(html(noun))
        assert len(figures) >= 3
        captions = re.findall(r"<figcaption>([^<]+)", html(noun).replace("&#x27;", "'"))
        assert captions == [title for title, _, _ in figures]
        for title, told, svg in figures:
            assert title
            assert re.search(r"\d", told)
            assert svg.get("role") == "img"
            assert svg.get("aria-label")


def test_curves_are_told_apart_without_colour(compared):
    for _, _, svg in pages.svgs(html(compared)):
        looks = [p.get("stroke-dasharray") for p in svg.iter() if p.tag.endswith("path") and p.get("stroke-linejoin")]
        assert len(looks) == len(set(looks))


@pytest.mark.parametrize("broken", [np.nan, np.inf, -np.inf, 1e308])
def test_numbers_that_cannot_be_drawn_leave_a_gap(rolled, broken):
    values = rolled.values.copy()
    values[len(values) // 2] = broken

    def dense(t):
        return np.where(np.abs(t - 1.5)[:, None] < 0.1, broken, rolled.dense(t))

    made = html(dataclasses.replace(rolled, values=values, dense=dense))
    assert not pages.harmless(made)
    assert "nan" not in "".join(p.get("d", "") for _, _, s in pages.svgs(made) for p in s.iter())


def test_paths_of_no_or_one_sample_are_shown(rolled):
    assert "No samples" in html(rolled[:0])
    assert not pages.harmless(html(rolled[:1]))
    resting = da.simulate(
        da.free(da.System(da.line("s"), sp.Symbol("vs", real=True) ** 2 / 2)), {"s": 1, "vs": 0}, until=0
    )
    assert "no time to pass" in html(resting)


def test_a_path_without_dense_output_is_drawn_from_its_samples():
    equations = da.nonholonomic(penny.system())
    path = da.simulate(equations, penny.START, until=1.0, dense=False, samples=np.linspace(0, 1, 11))
    assert len(SampledPath.of(path).t) == 11
    assert not pages.harmless(html(path))


# --- nouns -----------------------------------------------------------------------------------------------------------


def test_every_number_of_a_path_is_the_paths(rolled):
    found = set(pages.Page(html(rolled)).numbers)
    for i in range(len(rolled.names)):
        column = rolled.values[:, i]
        assert {column[0], column[-1], column.min(), column.max()} <= found
    assert set(rolled.marks["crossing"].t) <= found
    assert {rolled.audit.work_balance, rolled.audit.energy_start, *rolled.audit.constraints.values()} <= found


def test_numbers_and_verdict_of_a_comparison_are_its_own(compared):
    page = pages.Page(html(compared))
    for pair in compared.pairs:
        assert {pair.largest, pair.at_end, pair.parts_at} <= set(page.numbers)
        assert " ".join(pair.verdict.split()) in page.words


@pytest.mark.parametrize("verdict", ["ok", "suspect", "failed"])
def test_lights_are_words(rolled, verdict):
    audit = dataclasses.replace(rolled.audit, verdict=verdict, reasons=("E405 too far",))
    page = pages.Page(html(dataclasses.replace(rolled, audit=audit)))
    assert f"Audit: {dict(ok='✓', suspect='!', failed='✗')[verdict]} {verdict}" in page.words
    assert "E405 too far" in page.words


def test_a_system_tells_values_units_and_sources():
    q = da.coordinates("x")
    m, k = sp.symbols("m k", positive=True)
    system = da.System(
        q,
        m / 2 * q["vx"] ** 2 - k / 2 * q["x"] ** 2,
        parameters={"m": "66.9 g", "k": "2 N/m"},
        units={"x": "m"},
        sources={"m": f"weighed {HOSTILE}"},
        title=HOSTILE,
    )
    made = html(system)
    assert not pages.harmless(made)
    page = pages.Page(made)
    assert {system.parameters["m"], 2.0} <= set(page.numbers)
    assert "kg" in page.words
    assert "weighed </script>" in page.words
    assert "kg/s²" in page.words


def test_hostile_titles_are_text(rolled, compared):
    for noun in (renamed(rolled, HOSTILE), dataclasses.replace(compared, title=HOSTILE)):
        made = html(noun)
        assert not pages.harmless(made)
        assert "</script><img src=x onerror=alert(1)>" in pages.Page(made).words


def test_every_noun_is_a_harmless_fragment_that_stands_alone(rolled, compared):
    system = penny.system()
    nouns = [
        rolled,
        rolled.audit,
        compared,
        system,
        da.nonholonomic(system),
        da.forms.maggi(system),
        da.examine(system),
    ]
    for noun in nouns:
        made = html(noun)
        assert not pages.harmless(made)
        root = pages.tree(made)
        assert root.get("lang") == "en"
        assert "<style>" in made


def test_tables_have_heads(rolled):
    for found in pages.tree(html(rolled)).iter("table"):
        assert all(row[0].tag == "th" for row in found.iter("tr"))
        assert all(cell.get("scope") in {"col", "row"} for cell in found.iter("th"))


def test_what_has_no_page_is_refused():
    with pytest.raises(da.DalembertError, match="E307"):
        html({"x": 1})


# --- a notebook ------------------------------------------------------------------------------------------------------


def test_nouns_ask_the_one_who_draws(rolled, compared, monkeypatch):
    monkeypatch.setattr(display, "_maker", [])
    assert rolled._repr_html_() is None
    display.drawn_by(html)
    system = penny.system()
    for noun in (rolled, rolled.audit, compared, system, da.nonholonomic(system), da.examine(system)):
        assert noun._repr_html_() == html(noun)


def in_a_process_of_its_own(snippet, *arguments):
    command = [sys.executable, "-c", textwrap.dedent(snippet), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_front_door_says_who_draws(rolled, tmp_path):
    rolled.save(tmp_path / "path.npz")
    shown = "import sys, dalembert as da\nassert '<svg' in da.load(sys.argv[1])._repr_html_()"
    in_a_process_of_its_own(shown, tmp_path / "path.npz")


SAVED = """
    import sys
    for heavy in ("sympy", "matplotlib", "latex2mathml", "jinja2"):
        sys.modules[heavy] = None
    from dalembert.apps.notebook import html
    from dalembert.trajectory.loading import load
    shown = html(load(sys.argv[1]))
    assert "<svg" in shown and "<table" in shown, shown
"""


def test_a_stored_path_is_shown_without_sympy_and_without_matplotlib(rolled, tmp_path):
    rolled.save(tmp_path / "path.npz")
    in_a_process_of_its_own(SAVED, tmp_path / "path.npz")
