"""What users write is safe in a program; all operations are written; and a program says what it assumes."""

import ast
import re

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.equations.code.program_header import RESERVED, c_literal, identifiers, prefix, python_literal, remark

from .conftest import COMPILER, build, run
from .test_programs import compare

HOSTILE = [
    "lambda", "int", "double", "I", "E", "NULL", "θ", "EOF", "theta_", "theta", "Ω", "y",
    "p", "out", "rhs", "math", "main", "pow", "y0", "c1", "h1", "k1", "w", "x_",
    "None", "print", "solve", "errno", "x₁", "M_PI", "step", "a", "HUGE_VAL", "linux", "assert", "complex",
    "fabs", "divide", "select", "START", "N_STATES", "names", "é",
]  # fmt: skip


def test_names_of_all_kinds_make_a_program_that_agrees(tmp_path):
    q = [*HOSTILE[:7], "theta"]
    space = da.coordinates(q, velocities=[f"v{i}" for i in range(len(q))])
    parameters = [n for n in HOSTILE if n not in q]
    masses = [sp.Symbol(n, positive=True) for n in parameters]
    u, x = space.velocities, space.coordinates
    T = sum((masses[i] + 1) * v**2 / 2 for i, v in enumerate(u))
    V = sum(m * sp.cos(x[i % len(x)] + i) for i, m in enumerate(masses))
    rows = {"lambda": u[0] - x[1] * u[2], "int": u[1] + sp.sin(x[0]) * u[3]}
    values = {n: 1 + i / 10 for i, n in enumerate(parameters)}
    system = da.System(space, T - V, rows, parameters=values, title='*/ """ \\ ??/ %s {x}\n#include "x"\rimport os')
    for principle in (da.nonholonomic, da.vakonomic):
        made = principle(system)
        compare_named(made, tmp_path)


def compare_named(made, tmp_path):
    from .conftest import ask_c, ask_python, expected, states
    from .test_programs import agree

    python, c = made.to_python(), made.to_c()
    names = list(made.system.parameters)
    points = list(states(made))
    asked = [(v["t"], [v[s] for s in made.states], [v[k] for k in names]) for v in points]
    wanted = [expected(made, v) for v in points]
    for found, want in zip(ask_python(python, asked, tmp_path), wanted, strict=True):
        agree(found, want, "Python")
    for found, want in zip(ask_c(c, asked, tmp_path, [len(part) for part in wanted[0]]), wanted, strict=True):
        agree(found, want, "C")


def test_no_text_of_a_user_is_code():
    title = 'x\n__import__(\'os\')  */ int main(void) { \\\n""" ??/ \u2028 \x0c raise SystemExit'
    q = da.coordinates("x y")
    _, _, vx, vy = q
    made = da.nonholonomic(da.System(q, vx**2 / 2 + vy**2 / 2, {"roll": vx - vy}, title=title))
    tree = ast.parse(made.to_python())
    calls = {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    assert "__import__" not in calls
    assert {n.names[0].name for n in ast.walk(tree) if isinstance(n, ast.Import)} == {"math", "sys"}
    comment = made.to_c(main=True).split("*/")[0]
    assert comment.startswith("/*")
    assert "__import__" in comment
    assert "??/" not in comment
    assert "\\" not in comment


def test_comments_and_literals_hold_only_plain_characters():
    rng = np.random.default_rng(0)
    for _ in range(2000):
        text = "".join(
            chr(int(c)) for c in rng.choice([*range(1, 128), 0x3B8, 0x2028, 0x85, 0x1F600], rng.integers(0, 20))
        )
        line = remark(text)
        assert line.isascii() and line.isprintable() and "*/" not in line and "\\" not in line and "??" not in line
        assert ast.literal_eval(python_literal(text)) == text
        literal = c_literal(text)
        assert literal.isascii() and re.fullmatch(r'"([a-zA-Z0-9_ .,:=()+-]|\\[0-7]{3})*"', literal)
        raw = re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), literal[1:-1])
        assert raw.encode("latin-1").decode("utf-8") == text


def test_identifiers_differ_are_plain_and_are_no_words():
    names = [*HOSTILE, "Theta", "theta", "THETA", "q" * 64, "q" * 63 + "r", *sorted(RESERVED)]
    found = identifiers(names)
    assert len(set(found.values())) == len(set(names))
    for identifier in found.values():
        assert re.fullmatch(r"[a-zA-Z][a-zA-Z0-9_]*", identifier)
        assert identifier not in RESERVED
        assert len(identifier) <= 60
    first = prefix(found)
    assert not any(re.fullmatch(rf"{re.escape(first)}\d+", i) for i in found.values())


@pytest.mark.filterwarnings("ignore::dalembert.errors.DalembertWarning")
def test_every_operation_is_written(tmp_path):
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    a = sp.Symbol("a", positive=True)
    rough = sp.Piecewise((sp.cos(sp.sin(x) / x) * sp.sin(sp.sin(x) / x), sp.Ne(x, 0)), (1, True)) + sp.Piecewise(
        (sp.sqrt(y) + sp.exp(sp.sqrt(y)), y > 0), (0, True)
    )
    rough += sp.sign(x) + sp.Min(x, y, z) + sp.Max(x * y, z) + sp.Abs(x) + sp.floor(x) + sp.ceiling(y) + sp.Heaviside(z)
    rough += sp.Piecewise((1 / (x - 1), (x < 0.5) & (y <= 3)), (sp.log(1 + x**2), x > 7), (z, True))
    smooth = sp.atan2(y, x) + sp.tan(x / 9) + sp.asin(sp.tanh(x)) + sp.acos(sp.tanh(y)) + sp.atan(z) + sp.sinh(x / 9)
    smooth += (
        sp.cosh(y / 9)
        + sp.asinh(z)
        + sp.acosh(1 + x**2)
        + sp.atanh(sp.tanh(y) / 2)
        + sp.exp(-(x**2))
        + sp.log(1 + z**2)
    )
    smooth += (1 + x**2) ** a + 1 / sp.cos(z / 9) + (1 + y**2) ** sp.Rational(3, 2) + 1 / (1 + sp.exp(900 * x))
    L = vx**2 / 2 + a * vy**2 / 2 + vz**2 / 2
    forces = {vx: rough + smooth, vy: smooth - rough}
    made = da.nonholonomic(da.System(q, L, {"row": vz - x * vy}, forces, {"a": 1.3}))
    compare(made, tmp_path)
    values = dict.fromkeys(made.states, 0.0) | {"y": -1.0, "a": 1.3, "t": 0.0}  # branches that are not taken
    from .conftest import ask_c, ask_python, expected

    asked = [(0.0, [values[s] for s in made.states], [1.3])]
    want = expected(made, values)
    assert np.isfinite(want[0]).all()
    for found in (ask_python(made.to_python(), asked, tmp_path), ask_c(made.to_c(), asked, tmp_path, [6, 1, 1])):
        np.testing.assert_allclose(found[0][0], want[0], rtol=1e-12, atol=1e-12)


@pytest.mark.filterwarnings("ignore::dalembert.errors.DalembertWarning")
def test_dependent_rows_give_the_multipliers_of_least_norm(tmp_path):
    q = da.coordinates("x y theta phi")
    x, _y, theta, _phi, vx, vy, w, vphi = q
    m, r = sp.symbols("m r", positive=True)
    rows = {"along": vx - r * vphi * sp.cos(theta), "across": vy - r * vphi * sp.sin(theta)}
    rows["mix"] = 2 * rows["along"] - sp.cos(theta) * rows["across"]
    L = m / 2 * (vx**2 + vy**2) + w**2 / 2 + vphi**2 / 4 - x
    system = da.System(q, L, rows, parameters={"m": 1.2, "r": 0.5})
    for principle in (da.nonholonomic, da.forms.maggi, da.vakonomic):
        compare(principle(system), tmp_path)
    assert "The rows of mix follow from the others" in da.nonholonomic(system).to_python()


def test_a_rotation_as_a_matrix_and_a_holonomic_row(tmp_path):
    space = da.rotation("R", attitude="matrix", frame="body") * da.line("s", "vs")
    R, w, vs = space.R, space.velocities[:3], space["vs"]
    L = (w[0] ** 2 + 2 * w[1] ** 2 + 2.5 * w[2] ** 2) / 2 + vs**2 / 2 - R[2, 2]
    system = da.System(space, L, {"post": R[2, 0] - space["s"]})
    for principle in (da.nonholonomic, da.vakonomic):
        made = principle(system)
        compare(made, tmp_path)
        assert "Rotations and directions are not brought back" in made.to_python()
        assert "'d/dt post'" in made.to_python() or '"d/dt post"' in made.to_python()


def test_where_the_metric_is_not_definite_a_solver_with_pivots_is_written(tmp_path):
    q = da.coordinates("x phi")
    vx, vphi = q.velocities
    F, r = sp.symbols("F r", positive=True)
    system = da.System(
        q, vx**2 / 2, {"roll": vx - r * vphi}, {vx: F * sp.cos(q["phi"])}, {"F": 2.0, "r": 0.5}, massless=["phi"]
    )
    made = da.nonholonomic(system)
    assert not made.definite
    for text in (made.to_python(), made.to_c(), made.to_c(main=True)):
        assert "solved with pivots" in text.replace("\n# ", " ").replace("\n * ", " ")
        assert "solve(" in text
    compare(made, tmp_path)


def test_walls_and_parameters_without_value_are_said(tmp_path):
    q = da.coordinates("x")
    x, v = q
    m = sp.Symbol("m", positive=True)
    made = da.free(da.System(q, m * v**2 / 2, parameters={"m": None}, walls={"floor": x}))
    with pytest.warns(da.DalembertWarning, match="W803 the program does not watch walls: floor; "):
        text = made.to_python()
    assert "Walls are not watched: floor" in text
    assert '"m": None' in text
    with pytest.warns(da.DalembertWarning, match="W803"):
        assert '"m": 2.5' in made.to_python(parameters={"m": 2.5})
    with pytest.raises(da.DalembertError, match="E202"):
        made.to_python(parameters={"mm": 2.5})
    if COMPILER:
        with pytest.warns(da.DalembertWarning, match="W803"):
            (tmp_path / "p.c").write_text(made.to_c(main=True), encoding="utf-8")
        build(tmp_path / "p.c", tmp_path / "p")
        _, table, _ = run([str(tmp_path / "p"), "1", "2", "3", "m=2", "x=1", "vx=0.5"])
        np.testing.assert_allclose(table, [[0, 1, 0.5], [0.5, 1.25, 0.5], [1, 1.5, 0.5]])


def test_every_door_to_a_program_doubts_what_the_program_does_not_watch(tmp_path):
    touch = da.contact("y", ["vx"], mu=0.2)
    lane = da.System(da.coordinates("x y"), "(vx^2 + vy^2)/2 - 9.81*y", contacts={"lane": touch})
    made, at = da.free(lane), {"x": 0, "y": 0, "vx": 1, "vy": 0}
    doors = [
        made.to_python,
        made.to_c,
        made.to_javascript,
        lambda: made.to_fmu(tmp_path / "a.fmu", start=at, binary=False),
        made.lean.to_python,
        made.lean.to_c,
        made.lean.to_javascript,
        made.to_callable,
        made.to_casadi,
        lambda: made.lean.to_fmu(tmp_path / "b.fmu", start=at, binary=False),
    ]
    for door in doors:
        with pytest.warns(da.DalembertWarning) as told:
            door()
        assert [str(each.message).split(";")[0] for each in told] == ["W803 the program does not watch contacts: lane"]
        assert told[0].filename == __file__


def test_a_title_stays_on_one_line_of_characters_that_show():
    q, title = da.coordinates("x"), "ball\n\\input{x}\x1b[31m\0\u202e\u2028???/"
    made = da.free(da.System(q, q["vx"] ** 2, title=title))
    assert made.system.title == "ball \\input{x} [31m   ???/"
    ast.parse(made.to_python())
    for text in (made.to_latex(), made.to_c(), made.to_python(), str(made), str(made.system)):
        assert all(c.isprintable() or c == "\n" for c in text)
        assert "??/" not in text or text in (made.to_latex(), str(made), str(made.system))
    assert made.to_latex().splitlines()[0].startswith("% ball \\input{x}")


@pytest.mark.parametrize("wrong", [3, "m", ["m"], b"x", {"m": float("nan")}, {"mm": 1.0}])
def test_parameters_that_are_no_mapping_of_numbers_are_refused(wrong):
    q = da.coordinates("x")
    made = da.free(da.System(q, sp.Symbol("m") * q["vx"] ** 2, parameters={"m": 1.0}))
    for written in (made.to_python, made.to_c, made.to_callable):
        with pytest.raises(da.DalembertError, match=r"E20[1-4]"):
            written(wrong) if written == made.to_callable else written(parameters=wrong)
