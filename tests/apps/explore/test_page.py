"""What stands in a page: the model, its ranges, its policy; and what `explore` and the command refuse."""

import base64
import gzip
import hashlib
import json
import re
import shutil
import subprocess
from importlib.resources import files

import pytest
from click.testing import CliRunner

import dalembert as da
from dalembert.apps.cli import main
from dalembert.apps.explore.page import page, whole
from dalembert.apps.explore.page_model import model, of_parameter, of_start, shown, sliders
from dalembert.apps.explore.scenario import scenario
from dalembert.apps.process import CONFINED
from dalembert.study import read_source, write_source
from zoo import ZOO

FREE = """
schema = 1
[space]
coordinates = { x = "line" }
[parameters]
m = 1
[lagrangian]
L = "m/2*dot(x)^2"
"""
VALUES = [(0.0, False), (0.0, True), (3.7, True), (-4.2, False), (-4.2, True), (1e-9, True), (8e11, False)]
SLEIGH = """
schema = 1
[space]
coordinates = { x = "line", y = "line", theta = "angle" }
[units]
x = "m"
y = "m"
[parameters]
m = "1 kg"
J = "0.5 kg*m^2"
a = "30 cm"
G = "2 N"
[lagrangian]
L = "m/2*((dot(x) - a*dot(theta)*sin(theta))^2 + (dot(y) + a*dot(theta)*cos(theta))^2) + J/2*dot(theta)^2 - G*x"
[[constraint]]
name = "blade"
phi = "dot(y)*cos(theta) - dot(x)*sin(theta)"
[[compare]]
name = "turn"
principles = ["nonholonomic", "vakonomic"]
start = { x = 0, y = 0, theta = "20 deg", "dot(x)" = "1 m/s", "dot(theta)" = 0.2, lam_blade = 0 }
until = 4
"""
PENDULUM = """
schema = 1
[space]
coordinates = { phi = "angle" }
[parameters]
m = 2
l = 0.5
g = 9.81
c = { value = 3, sign = "positive" }
[lagrangian]
L = "m/2*l^2*dot(phi)^2 + m*g*l*cos(phi) - c*phi^4"
"""
LARGEST = 150_000  # bytes, compressed


@pytest.fixture(scope="module")
def text():
    return page(scenario(ZOO["sleigh"], start=None))


def scripts(text):
    return re.findall(r"<script(?: id=\"engine\")?>(.*?)</script>", text, re.DOTALL)


def test_the_policy_allows_what_is_there_and_nothing_else(text):
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    sums = [base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in scripts(text)]
    assert len(sums) == 2
    assert all(f"'sha256-{each}'" in policy for each in sums)
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert not re.search(r"\b(eval|new Function|innerHTML|fetch|XMLHttpRequest|import)\s*\(", "".join(scripts(text)))
    assert len(gzip.compress(text.encode())) < LARGEST


@pytest.mark.parametrize("bad", ["</script><script>alert(1)</script>", "<!--<script>", "&lt;b&gt;", "\u2028</title>"])
def test_text_of_users_ends_nothing(bad):
    made = whole(bad, "", json.dumps({"title": bad}), "", "")
    data = re.search(r'id="model">(.*?)</script>', made, re.DOTALL)[1]
    assert json.loads(data)["title"] == bad
    assert bad not in made


@pytest.mark.parametrize(("value", "positive"), VALUES)
def test_a_range_holds_the_value_and_is_of_round_numbers(value, positive):
    found = of_parameter("k", value, positive)
    assert found.low <= value <= found.high
    assert not positive or found.low * found.high >= 0
    assert all(f"{abs(v):.6e}"[:8] in ("1.000000", "2.000000", "5.000000") for v in (found.high, found.step))
    begun = of_start("x", value, [value, 2.0], angle=False)
    assert begun.low == -begun.high < value < begun.high


@pytest.mark.parametrize(
    ("text", "one_sign"), [(SLEIGH, "m J"), (PENDULUM, "m l c"), (PENDULUM.replace("l = 0.5", "l = -0.5"), "m l c")]
)
def test_no_slider_leads_through_a_mass_of_0_or_to_where_the_metric_is_degenerate(text, one_sign):
    study = read_source(text)
    found = {s.name: s for s in sliders(scenario(study if study.compares else study.system)) if s.group == "Parameters"}
    assert [name for name, each in found.items() if each.low * each.high > 0] == one_sign.split()
    for name, each in found.items():
        assert each.low <= study.system.parameters[name] <= each.high


def test_a_multiplier_has_the_unit_that_it_has_under_each_principle():
    found = model(scenario(read_source(SLEIGH)), [])
    assert found["units"]["lam_blade"] == "kg\N{NO-BREAK SPACE}m/s"  # beside L, of a state
    assert found["units of reactions"] == [{"lam_blade": "kg\N{NO-BREAK SPACE}m/s²"}, {}]
    alone = model(scenario(read_source(SLEIGH), ["nonholonomic"]), [])
    assert "lam_blade" not in alone["units"] and alone["units of reactions"][0]["lam_blade"].endswith("m/s²")


def test_a_coordinate_alone_is_drawn_against_its_rate():
    assert model(scenario(read_source(PENDULUM).system), [])["rate"] == "vphi"
    assert model(scenario(read_source(SLEIGH)), [])["rate"] is None


def test_names_are_shown_as_a_person_writes_them():
    space = ZOO["sleigh"].space
    found = shown(["lam_roll_x", "w1", "Omega", "theta", "m", "<b>"], space)
    assert found["lam_roll_x"] == ["λ", "roll x"]
    assert found["w1"] == ["w", "1"]
    assert [found[name][0] for name in ("Omega", "theta", "m", "<b>")] == ["Ω", "θ", "m", "<b>"]


def test_a_system_alone_begins_from_a_guess_and_says_so(tmp_path):
    found = scenario(ZOO["sleigh"])
    assert "guess" in found.notes[0]
    assert [each.name for each in found.formed] == ["nonholonomic", "vakonomic"]


def test_a_principle_without_a_motion_is_left_out_with_the_reason(monkeypatch):
    from dalembert.apps import runs

    real = runs.equations

    def equations(study, name):
        if name == "vakonomic":
            raise da.DalembertError("E107", "not here", "")
        return real(study, name)

    monkeypatch.setattr(runs, "equations", equations)
    found = scenario(ZOO["sleigh"])
    assert [each.name for each in found.formed] == ["nonholonomic"]
    assert any("E107" in note for note in found.notes)
    with pytest.raises(da.DalembertError, match="E107"):
        scenario(ZOO["sleigh"], ["vakonomic"])


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: da.explore(ZOO["sleigh"], "page.pdf"), "E307"),
        (lambda: da.explore(ZOO["sleigh"], 3), "E501"),
        (lambda: da.explore(3, "page.html"), "E307"),
        (lambda: da.explore(ZOO["sleigh"], "mine.html"), "E530"),
        (lambda: da.explore(ZOO["sleigh"], "page.html", principles=["gaus"]), "E308"),
        (lambda: da.explore(read_source(FREE), "page.html"), "E307"),
        (lambda: da.explore(ZOO["sleigh"], "page.html", start={"xx": 1}), "E229"),
        (lambda: da.explore(ZOO["sleigh"], "page.html", start={"x": 1}), "E230"),
    ],
)
def test_what_cannot_be_shown_is_refused(call, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.html").write_text("mine")
    with pytest.raises(da.DalembertError) as refused:
        call()
    assert refused.value.code == code
    assert [each.name for each in tmp_path.iterdir()] == ["mine.html"]


def test_the_command_writes_its_own_page_again(tmp_path, monkeypatch):
    monkeypatch.setenv(CONFINED, str(tmp_path / "phase"))
    monkeypatch.chdir(tmp_path)
    run = '[[run]]\nprinciple = "free"\nname = "on"\nstart = { x = 0, "dot(x)" = 1 }\nuntil = 2\n'
    (tmp_path / "free.toml").write_text(FREE + run)
    for _ in range(2):
        done = CliRunner().invoke(main, ["explore", "free.toml", "m=2", "--json"])
        assert done.exit_code == 0, done.stdout
    assert json.loads(done.stdout)["out"] == "free.html"
    text = (tmp_path / "free.html").read_text(encoding="utf-8")
    model = json.loads(re.search(r'id="model">(.*?)</script>', text, re.DOTALL)[1])
    assert model["parameters"] == {"m": 2.0}
    assert model["entries"][0]["until"] == 2.0
    assert read_source(model["source"]).system.parameters == {"m": 1.0}
    assert write_source(read_source(model["source"]))


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_a_number_in_a_field_is_seen_whole():
    """A field shows some nine characters: what stands in it is that number, to four digits, however small it is."""
    numbers = [0.0, 1.0, -0.05, 4.31779290240967e-06, 1e-7, -1.23456e-7, 0.0669259238391975, 1.5e9, -2.5e-300]
    source = (files("dalembert") / "apps" / "explore" / "page" / "dom.js").read_text(encoding="utf-8")
    function = re.search(r"^function typed.*?^}", source, re.MULTILINE | re.DOTALL)[0]
    question = f"{function} console.log(JSON.stringify({json.dumps(numbers)}.map(typed)))"
    told = json.loads(subprocess.run(["node", "-e", question], capture_output=True, text=True, check=True).stdout)
    assert [float(text) for text in told] == pytest.approx(numbers, rel=5e-3, abs=0)
    assert max(map(len, told)) <= 9


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_rest_is_drawn_as_rest():
    """What changes by rounding beside its kind has a picture as large as its kind; what moves little has its own."""
    source = (files("dalembert") / "apps" / "explore" / "page" / "plot.js").read_text(encoding="utf-8")
    still, slow, runs = ([size * (-1) ** i for i in range(9)] for size in (1e-17, 1e-6, 1.0))
    room = {"equal": False, "plane": False, "log": False, "part": 1e-9}
    asked = [
        ({**room, "kind": 1.0}, runs, still),
        ({**room, "kind": 1.0}, runs, slow),
        ({**room, "kind": 2.0, "equal": True, "plane": True}, still, still),
        ({**room, "kind": 2.0, "plane": True}, still, runs),
    ]
    question = f"""{source}
    const range = ([o, x, y]) => Object.assign(Object.create(Plot.prototype), o).range([{{ x, y }}], 300, 200);
    console.log(JSON.stringify({json.dumps(asked)}.map(range)))"""
    told = json.loads(subprocess.run(["node", "-e", question], capture_output=True, text=True, check=True).stdout)
    heights = [high - low for _, _, low, high in told]
    assert heights == pytest.approx([2.28, 2.28e-6, 4.56, 2.28])
    assert [high - low for low, high, _, _ in told[2:]] == pytest.approx([6.84, 4.0])
