r"""Typesetting: rows fit an A4 column, folding changes nothing, LaTeX is sound, summaries fit a terminal."""

import re
from importlib import import_module

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from counted import calls
from dalembert.calculus.printing import COLUMN, Line, letter, lines, width, words
from dalembert.calculus.subexpressions import fold
from dalembert.calculus.symbol_letters import Alphabet
from dalembert.principles.principle_table import named
from dalembert.systems import chaplygin_sleigh, penny

NAMES = [
    "appell_hamel", "ball_on_turntable", "car_with_trailers", "chaplygin_ball", "chaplygin_sleigh",
    "disguised_holonomic", "double_pendulum_cartesian", "heisenberg", "knife_edge_on_incline", "nonholonomic_particle",
    "pendulum_cartesian", "penny", "rattleback", "roller_racer", "rolling_ball_on_plane", "rolling_disc",
    "routh_sphere", "snakeboard", "suslov", "symmetric_sphere", "two_wheeled_robot", "veselova", "wheeled_snake",
    "whipple_bicycle",
]  # fmt: skip
LARGE = {"whipple_bicycle"}  # seconds of SymPy; its size is tested by itself


@pytest.fixture(scope="module")
def made():
    found = {}

    def make(name, principle):
        if (name, principle) not in found:
            found[name, principle] = named(principle)(import_module(f"dalembert.systems.{name}").system())
        return found[name, principle]

    return make


def rows_of(latex):
    body = [line for line in latex.splitlines() if not line.startswith("%")]
    assert body[0] == r"\begin{aligned}"
    assert body[-1] == r"\end{aligned}"
    return "\n".join(body[1:-1]).split(" \\\\\n")


def sound(latex):
    """Braces and left-right pairs close, and every row has as many columns as it may."""
    plain = latex.replace(r"\{", "").replace(r"\}", "")
    depth = 0
    for character in plain:
        depth += (character == "{") - (character == "}")
        assert depth >= 0
    assert depth == 0
    for row in rows_of(latex):
        assert row.count(r"\left") == row.count(r"\right"), row
        assert row.count("&") - row.count(r"\&") <= 3, row
        assert "\n" not in row


def across(rows):
    """How wide the environment is: its left sides, what is aligned behind them, its labels."""
    parts = [(*row.partition("&")[::2],) for row in rows]
    behind = [(*right.partition("&&")[::2],) for _, right in parts]
    labels = max((width(label) + 2 for _, label in behind if label), default=0.0)
    return max(width(left) for left, _ in parts) + max(width(right) for right, _ in behind) + labels


def mathml(latex):
    convert = pytest.importorskip("latex2mathml.converter").convert
    text = "\n".join(line for line in latex.splitlines() if not line.startswith("%"))
    assert convert(text).startswith("<math")


@pytest.mark.parametrize("principle", ["nonholonomic", "vakonomic", "maggi"])
@pytest.mark.parametrize("name", [n for n in NAMES if n not in LARGE])
def test_equations_fit_a_column(made, name, principle):
    equations = made(name, principle)
    latex = equations.to_latex()
    sound(latex)
    mathml(latex)
    rows = rows_of(latex)
    assert across([row for row in rows[1:] if r"&\text{the equations of motion take" not in row]) <= COLUMN
    assert len(rows) <= 135  # two pages
    written = "the equations of motion take" not in latex and "too long to be read" not in latex
    assert written or name == "rattleback" or (name, principle) == ("wheeled_snake", "maggi")  # 17,000 characters
    numbers = [int(n) for row in rows for n in re.findall(r"&& \((\d+)\)$", row)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert not written or numbers
    assert all(words(f"({c.name})") in latex for c in equations.constraints)
    assert "&& (1)" not in equations.latex()


@pytest.mark.parametrize("name", NAMES)
def test_systems_fit_a_column_and_a_terminal(name):
    system = import_module(f"dalembert.systems.{name}").system()
    latex = system.to_latex()
    sound(latex)
    mathml(latex)
    assert max(width(row) for row in rows_of(latex)) <= COLUMN
    assert system._repr_latex_() == f"$\\displaystyle {latex}$"
    assert all(words(f"({c.name}").removesuffix("}") in latex for c in system.constraints)
    assert system.space.rates


def test_what_is_too_long_is_counted_and_not_written(made):
    latex = made("rattleback", "vakonomic").to_latex()
    assert re.search(r"the equations of motion take \d{3,} ", latex)
    whole = made("rattleback", "vakonomic").to_latex(fold=False)
    assert len(whole) > 10 * len(latex)
    sound(whole)


@pytest.mark.parametrize("name", ["rolling_disc", "car_with_trailers", "veselova", "wheeled_snake", "routh_sphere"])
def test_folding_changes_nothing(made, name):
    from dalembert.calculus.from_sympy import read
    from dalembert.calculus.graph import Graph, evaluate

    equations = made(name, "vakonomic")
    udot = {u: sp.Symbol(f"{u.name}_dot") for u in equations.space.velocities}
    mu = [sp.Symbol(f"{s.name}_dot") for s in equations.multipliers]
    expressions = [e for row in equations._sheet(udot, mu).motion for e in row]
    folded = fold(expressions, {})
    seen = set()
    for symbol, meaning in folded.definitions:  # each uses earlier names only
        assert {s for s in meaning.free_symbols if s in dict(folded.definitions)} <= seen
        seen.add(symbol)
    rng = np.random.default_rng(0)
    values = {s.name: float(rng.uniform(0.5, 1.5)) for e in expressions for s in e.free_symbols}
    graph = Graph()
    ours = evaluate([read(e, graph) for e in folded.unfolded()], values)
    np.testing.assert_allclose(ours, evaluate([read(e, graph) for e in expressions], values), rtol=1e-11, atol=1e-11)


def test_names_of_folded_parts_are_nobody_elses():
    x, c1, h = sp.symbols("x c1 h2")
    long = sum(sp.cos(x * i + c1) * sp.sin(h + i) for i in range(1, 40)) * sum(sp.cos(x + c1 * i) for i in range(1, 40))
    folded = fold([long, long**2], {})
    assert folded.definitions
    assert not {s for s, _ in folded.definitions} & long.free_symbols
    assert all(re.fullmatch(r"k\d+", s.name) for s, _ in folded.definitions)
    assert folded.unfolded() == (long, long**2)


def test_a_row_is_broken_between_its_terms():
    x = sp.symbols("x0:60")
    rows = lines([Line("L", sum(x))], {})
    assert len(rows) > 1
    assert rows[0].startswith("L &= x_{0}")
    assert all(row.startswith(r"&\quad + x_") for row in rows[1:])
    joined = " ".join(rows)
    assert all(f"x_{{{i}}}" in joined for i in range(60))
    assert max(map(width, rows)) <= COLUMN
    wide = lines([Line(sum(x), x[0], "(1)"), Line("L", x[1])], {})
    assert wide[-2].endswith("= x_{0} && (1)")
    assert all(row.startswith("&") for row in wide) and wide[-1] == "&L = x_{1}"  # one edge for all rows


def test_rows_stand_below_one_another_at_one_place():
    for equations in (da.nonholonomic(chaplygin_sleigh.system()), da.nonholonomic(penny.system())):
        rows = [row for row in equations.latex().splitlines()[3:] if "=" in row and "EL" not in row]
        assert len({row.startswith("&") for row in rows}) == 1, rows


def test_names_of_principles_are_words_of_latex():
    for form in (da.forms.gibbs_appell, da.forms.almost_poisson):
        head = next(row for row in form(chaplygin_sleigh.system()).latex().splitlines() if row.startswith("&"))
        assert re.search(r"\\text\{(gibbs-appell|almost-poisson): \}", head)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("theta", r"\theta"),
        ("θ", r"\theta"),
        ("Ω", r"\Omega"),
        ("x1", "x_{1}"),
        ("x₁", "x_{1}"),
        ("roll_x", r"\mathrm{roll}_{x}"),
        ("wL", r"\mathrm{wL}"),
        ("I_r", "I_{r}"),
        ("é", r"\text{é}"),
        ("ä1", r"\text{ä}_{1}"),
        ("ά", r"\alpha"),
        ("roulé_x", r"\text{roulé}_{x}"),
    ],
)
def test_letters(name, shown):
    assert letter(name) == shown


@pytest.mark.parametrize("form", ["gauss", "maggi", "hamel", "voronec", "chaplygin", "gibbs_appell", "almost_poisson"])
def test_writing_starts_no_search_without_an_end(form, monkeypatch):
    equations = getattr(da.forms, form)(import_module("dalembert.systems.roller_racer").system())
    for search in ("simplify", "trigsimp"):
        monkeypatch.setattr(sp, search, None)
    assert len(equations.text()) < 3000


def test_names_of_several_letters_do_not_run_into_one():
    q = da.coordinates("roll x")
    held = {"wheel": "dot(x) - rc*dot(roll)"}
    L = "rc*dot(roll)^2/2 + dot(x)^2/2 - k1*ks*roll*x"
    typeset = da.nonholonomic(da.System(q, L, held, parameters={"rc": 1, "k1": 2, "ks": 3})).latex()
    assert r"\mathrm{rc} \, \ddot{\mathrm{roll}}" in typeset
    assert r"\mathrm{rc} \, \dot{\mathrm{roll}}" in typeset
    assert r"k_{1} \mathrm{ks} \, \mathrm{roll}" in typeset


def test_text_of_a_user_cannot_leave_text_mode():
    assert words("a_b {x} 50% $y$ \\input{z}\n#&~^") == (
        r"\text{a\_b \{x\} 50\% \$y\$ \textbackslash input\{z\} \#\&\textasciitilde \textasciicircum }"
    )


def test_greek_letters_and_names_in_words_are_set_as_in_formulas():
    assert words("(roulé_φ)") == r"\text{(roulé\_}\phi\text{)}"
    assert words("`s1` and `theta`, `x` follow", Alphabet({"s1": "v"})) == r"v\text{ and }\theta, x\text{ follow}"
    lean = da.nonholonomic(import_module("dalembert.systems.chaplygin_sleigh").system()).lean
    assert r"&s_{1}\text{: free speeds; }x, y, \theta\text{ follow by integration}" in lean.latex()
    assert "(s1: free speeds; x, y, theta follow by integration)" in lean.text()


def test_letters_with_accents_are_other_letters():
    q = da.coordinates("e é")
    row = da.nonholonomic(da.System(q, "dot(e)^2/2 + dot(é)^2/2", {"roulé": "dot(e) - dot(é)"})).to_latex()
    assert r"\ddot{\text{é}} &= - \lambda_{\text{roulé}}" in row
    assert r"\ddot{e} &= \lambda_{\text{roulé}}" in row


@pytest.mark.parametrize(
    ("latex", "least", "most"),
    [(r"\frac{a b c}{d}", 3, 4.5), (r"\sin{\left(\theta \right)}", 3.5, 6), (r"x_{12}", 2, 2.8), (r"\dot{x}", 1, 1.2)],
)
def test_widths(latex, least, most):
    assert least <= width(latex) <= most


def test_dots_are_on_the_rates_of_coordinates(made):
    latex = made("rolling_disc", "nonholonomic").to_latex()
    for letters in (r"\ddot{x}", r"\dot{\phi}", r"\ddot{\psi}", r"\lambda_{\mathrm{along}}"):
        assert letters in latex
    assert "v_{x}" not in latex
    assert len(rows_of(latex)) <= 12  # a disc can be read
    assert r"\dot{\phi}" in made("rolling_disc", "nonholonomic").system.to_latex()


def test_a_notebook_derives_nothing_that_nobody_reads():
    equations = da.vakonomic(import_module("dalembert.systems.whipple_bicycle").system())
    assert "the equations of motion take" in equations._repr_latex_()
    made = "from dalembert.systems import whipple_bicycle; e = da.vakonomic(whipple_bicycle.system())"
    assert calls("e._repr_latex_()", before=made) < 2e6


def test_every_summary_fits_a_terminal(made):
    for name in NAMES:
        things = [import_module(f"dalembert.systems.{name}").system()]
        if name not in LARGE:
            things.append(made(name, "nonholonomic"))
        for thing in things:
            fits(str(thing), f"{name} {type(thing).__name__}")


def fits(text, what):
    rows = text.splitlines()
    assert len(rows) <= 25, what
    assert max(map(len, rows)) <= 80, (what, max(rows, key=len))


@pytest.mark.parametrize("name", ["penny", "ball_on_turntable", "rolling_disc"])
def test_every_noun_fits_a_terminal(made, name):
    module = import_module(f"dalembert.systems.{name}")
    start = next(iter(module.STARTS.values()))
    equations = made(name, "nonholonomic")
    state = equations.start(**start)
    path = da.simulate(equations, state, until=0.3)
    lams = {s.name: 0.1 for s in made(name, "vakonomic").states_of_multipliers}
    compared = da.compare(equations.system, ["nonholonomic", "vakonomic"], start={**start, **lams}, until=0.3)
    things = {
        "space": equations.space, "start": state, "path": path, "comparison": compared,
        "function": equations.to_callable(), "examination": da.examine(equations.system),
    }  # fmt: skip
    for what, thing in things.items():
        fits(str(thing), f"{name} {what}")


def trailers(count):
    """A cart that pulls so many trailers, each held by its axle."""
    L, px, py = "M/2*(dot(x)^2 + dot(y)^2) + J/2*dot(th0)^2", "dot(x)", "dot(y)"
    axles = {"axle0": "dot(y)*cos(th0) - dot(x)*sin(th0)"}
    for i in range(1, count + 1):
        px, py = f"{px} + l*dot(th{i})*sin(th{i})", f"{py} - l*dot(th{i})*cos(th{i})"
        L += f" + m/2*(({px})^2 + ({py})^2) + I/2*dot(th{i})^2"
        axles[f"axle{i}"] = f"({py})*cos(th{i}) - ({px})*sin(th{i})"
    q = da.coordinates("x y " + " ".join(f"th{i}" for i in range(count + 1)))
    return da.System(q, L, axles, parameters=dict.fromkeys(("M", "J", "m", "I", "l"), 1.0))


def test_writing_a_long_train_looks_for_few_common_divisors(monkeypatch):
    from sympy.polys.rings import PolyElement

    found, gcd = [], PolyElement.gcd
    monkeypatch.setattr(PolyElement, "gcd", lambda a, b: found.append(1) or gcd(a, b))
    da.vakonomic(trailers(7)).text()
    assert len(found) <= 80  # there were 297, which took half of the time


def test_what_is_read_is_written_once_for_text_and_latex(monkeypatch):
    from dalembert.equations import printed_sheet

    written, rows = [], printed_sheet.written_rows.rows
    monkeypatch.setattr(printed_sheet.written_rows, "rows", lambda *a: written.append(1) or rows(*a))
    equations = da.nonholonomic(trailers(2))
    str(equations), equations.text(), equations.latex(), equations.to_latex(fold=False)
    assert written == [1]


def test_what_is_counted_says_how_it_is_had(made):
    equations = made("rattleback", "vakonomic")
    line = "operations: .text() and .to_latex(fold=False) write them out"
    assert line.replace("_", r"\_") in equations.latex().replace("} \\\\\n&\\text{", " ")
    assert "what is only counted is written by .text()" in str(equations)


def test_what_is_too_long_to_be_written_is_counted_only_so_far(monkeypatch):
    from dalembert.calculus.graph import Graph, operations_until
    from dalembert.equations import lean_form, typeset

    graph = Graph()
    x, rows = graph.symbol("x"), []
    found = operations_until(3, ([rows.append(k) or (x + k) * (x + k)] for k in range(1, 9)))
    assert found == 4 and len(rows) == 2  # no third row is made
    system = trailers(2)
    monkeypatch.setattr(typeset, "ALL", 40)
    monkeypatch.setattr(typeset, "WRITTEN", 20)
    monkeypatch.setattr("dalembert.equations.written_rows._MOST", 30)
    monkeypatch.setattr("dalembert.equations.printed_sheet._OF_FORM", 30)
    monkeypatch.setattr(lean_form, "MOST", 10)
    for principle in (da.vakonomic, da.forms.maggi):
        equations = principle(system)
        monkeypatch.setattr(type(equations), "elimination", property(lambda e: pytest.fail("it is eliminated")))
        line = "the equations of motion take more than 40 operations: .to_latex(fold=False) writes them out, .to_c()"
        assert line in equations.text() and "more than 40" in equations.latex().replace("} \\\\\n&\\text{", " ")
        assert "  more than 40 operations\n" in f"{equations}\n"
    assert ".to_python() and .to_c() write them as programs" in da.nonholonomic(system).lean.text()


def test_contacts_that_act_in_runs_alone_are_named_above_the_rows():
    q = da.coordinates("x y")
    _, y, vx, vy = q
    L = (vx**2 + vy**2) / 2 - 9.81 * y
    bare, told = da.System(q, L), da.System(q, L, contacts={"floor": da.contact(gap=y, slip=[vx], mu=0.3)})
    note = "Contacts act in runs, not in these equations: floor."
    for equations, there in ((da.free(told), True), (da.free(bare), False)):
        assert (note in str(equations).splitlines()) == there
        assert (note in equations.text().splitlines()) == there
        assert (f"% {note}" in equations.latex().splitlines()) == there
        assert (note in equations._repr_html_()) == there
