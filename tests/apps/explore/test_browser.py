"""The page in Chromium, as a person uses it. Skipped where no browser is found: install one, or name it in CHROMIUM."""

import csv
import json
import subprocess
import sys

import numpy as np
import pytest
from fuzz.browser import CHROMIUM, Browser

import dalembert as da
from dalembert.apps import runs
from dalembert.study import read_source

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no browser: install chromium, or name one in CHROMIUM")
DISC = """
schema = 1
title = "Edge </script><b onclick='x'>"
[space]
coordinates = { x = "line", y = "line", theta = "angle" }
[parameters]
m = { value = 1, sign = "positive" }
J = { value = 0.5, sign = "positive" }
a = 0.2
[lagrangian]
L = "m/2*((dot(x) - a*sin(theta)*dot(theta))^2 + (dot(y) + a*cos(theta)*dot(theta))^2) + J/2*dot(theta)^2"
[[constraint]]
name = "blade"
phi = "dot(x)*sin(theta) - dot(y)*cos(theta)"
[[run]]
name = "sliding"
principle = "nonholonomic"
start = { x = 0, y = 0, theta = 0.3, "dot(x)" = 0.8, "dot(theta)" = 0.7 }
until = 4
[[run.event]]
name = "line </script>"
guard = "x - 1.5"
then = "stop"
"""
RTOL = 1e-9
LONG = 2000  # seconds that take more than 16 ms
WORKER = """(() => {
    const post = Worker.prototype.postMessage;
    window.asked = 0; window.ticks = 0;
    Worker.prototype.postMessage = function (...given) {
        if (given[0].jobs) { asked++; ticks = 0; }
        post.apply(this, given);
    };
    setInterval(() => ticks++, 1);
})()"""
NO_WEBGL = """HTMLCanvasElement.prototype.getContext = ((real) => function (kind, ...more) {
    return kind.startsWith("webgl") ? null : real.call(this, kind, ...more);
})(HTMLCanvasElement.prototype.getContext);"""
START = {"x": 0, "y": 0, "theta": 0.3, "vx": 0.8, "vtheta": 0.7, "lam_blade": 0}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    return da.explore(read_source(DISC, "sleigh.toml"), folder / "page.html")


@pytest.fixture(scope="module")
def browser(page):
    with Browser(page.parent) as found:
        found.open(page.as_uri())
        yield found


def test_it_says_nothing_asks_nothing_and_runs_nothing_else(browser, page):
    assert browser.said == []
    assert {each.partition(":")[0] for each in browser.asked} == {"file"}
    assert browser.run("document.querySelector('h1').textContent") == "Edge </script><b onclick='x'>"
    assert browser.run("document.querySelectorAll('b').length") == 0
    assert (
        browser.run("(() => { try { return Function('return 1')(); } catch (e) { return e.name; } })()") == "EvalError"
    )


def test_every_control_has_a_name(browser):
    nameless = """[...document.querySelectorAll("button, input, select, canvas")].filter((e) => !(
        e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length)).map((e) => e.outerHTML)"""
    assert browser.run(nameless) == []


def test_keys_move_a_slider_and_the_link_brings_it_back(browser, page):
    browser.run("document.querySelector('input[type=range][aria-label^=\"J\"]').focus()")
    browser.press("ArrowRight", 5)
    browser.until("location.hash.includes('J=')")
    browser.run("dalembert.set({ t: 1.25 })")
    browser.until("location.hash.includes('t=1.25')")
    address, columns = browser.run("location.href"), browser.run("dalembert.columns('vakonomic')")
    assert browser.run("new URLSearchParams(location.hash.slice(1)).get('J')") != "0.5"
    browser.open(address)
    assert browser.run("dalembert.columns('vakonomic')") == columns
    browser.press("r")
    browser.until("!location.hash.includes('J=')")


def test_space_plays_and_stops(browser):
    browser.run("document.activeElement.blur()")
    browser.run("dalembert.set({ t: 0 })")
    shown = "document.querySelector('.transport output').textContent"
    browser.press(" ")
    browser.until(f"+{shown} > 0")
    assert browser.run("document.querySelector('.play').getAttribute('aria-label')") == "Stop"
    browser.press(" ")
    assert browser.run("document.querySelector('.play').getAttribute('aria-label')") == "Play"
    browser.run("dalembert.set({ t: 1 })")
    browser.press("ArrowRight")
    browser.until(f"{shown} === '1.04'")


@pytest.mark.parametrize("given", [{}, {"J": 0.9, "theta": -0.4, "lam_blade": 0.3}])
def test_its_numbers_are_those_of_a_run(browser, page, given):
    system = read_source(DISC).system
    browser.run("dalembert.set({start: 'sliding'})")
    browser.run(f"dalembert.set({given})")
    event = da.Event("line", system.space["x"] - 1.5, "stop")
    for principle in (da.nonholonomic, da.vakonomic):
        equations, own = principle(system), {**START, **given}
        if not equations.states_of_multipliers:
            own.pop("lam_blade")
        J = {"J": own.pop("J")} if "J" in own else {}
        found = browser.run(f"dalembert.columns('{equations.principle}')")
        start = equations.start(**own, parameters=J)
        path = da.simulate(equations, start, until=4.0, events=[event], rtol=RTOL)
        assert found["t"][-1] == pytest.approx(path.t[-1], rel=1e-9)
        expected = path.at(np.array(found["t"][:-1]))
        for name in equations.states:  # both take the same steps
            np.testing.assert_allclose(found[name][:-1], expected[name], rtol=1e-9, atol=1e-9)


def test_what_it_saves_gives_the_same_motion(browser):
    browser.run("dalembert.set({start: 'sliding', J: 0.7, theta: 0.5})")
    found = {name: browser.run(f"dalembert.columns('{name}')") for name in ("nonholonomic", "vakonomic")}
    for kind in ("csv", "toml", "py", "png"):
        browser.run(f"document.querySelector('[data-do={kind}]').click()")
    rows = list(csv.DictReader(browser.file("motion.csv").read_text(encoding="utf-8").splitlines()))
    assert [float(row["x"]) for row in rows if row["principle"] == "vakonomic"] == found["vakonomic"]["x"]
    study = da.read(browser.file("motion.toml"))
    for spec in study.runs:
        path = runs.run(study, spec)
        assert path["x"][-1] == pytest.approx(found[spec.principle]["x"][-1], abs=1e-8)
        assert path.t[-1] == pytest.approx(found[spec.principle]["t"][-1])
    script = browser.file("motion.py").read_text(encoding="utf-8") + "\nimport json\n"
    script += "print(json.dumps({n: {c: p[c][-1] for c in p.names} | {'t': p.t[-1]} for n, p in paths.items()}))\n"
    done = subprocess.run([sys.executable, "-"], input=script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for principle, ends in json.loads(done.stdout.splitlines()[-1]).items():
        assert {n: found[principle][n][-1] for n in ("t", "x", "y", "theta")} == pytest.approx(
            {n: ends[n] for n in ("t", "x", "y", "theta")}, abs=1e-9
        )
    assert browser.file("motion.png").read_bytes()[:4] == b"\x89PNG"


def test_what_takes_long_is_computed_beside_the_page(browser, tmp_path):
    free = DISC[: DISC.index("[[run.event]]")].replace("a = 0.2", "a = 0")
    browser.open(da.explore(read_source(free, "long.toml"), tmp_path / "long.html").as_uri())
    browser.run(WORKER)
    browser.run(f"dalembert.set({{ until: {LONG}, J: 0.9 }})")
    here = browser.run("dalembert.columns('nonholonomic')")
    before = browser.run("asked")  # nobody knew yet how long it takes, but where the first motion took long
    browser.run("dalembert.set({ J: 0.6 })")
    assert browser.run("dalembert.set({ J: 0.9 }, () => { window.between = ticks; }).then(() => asked)") == before + 2
    assert browser.run("between") > 0  # the page was alive meanwhile
    assert browser.run("dalembert.columns('nonholonomic')") == here
    assert browser.said == []


@pytest.mark.parametrize(("address", "before"), [("#.flat=1", ""), ("", NO_WEBGL)])
def test_it_draws_without_webgl(browser, page, address, before):
    browser.open(page.as_uri() + address, before)
    tint = """(() => {
        const c = document.querySelector('.scene canvas');
        const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
        const seen = new Set();
        for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
        return seen.size;
    })()"""
    assert browser.said == []
    browser.until(f"{tint} > 20")  # it is drawn again when its size is known
    browser.said.clear()  # Chromium remarks on the reading


def test_a_cell_of_a_notebook_shows_it(browser, page):
    cell = da.explore(read_source(DISC, "sleigh.toml"))
    assert "da.explore" in repr(cell) and "<b" not in cell._repr_html_()
    notebook = page.parent / "notebook.html"
    notebook.write_text(f"<!doctype html><title>Notebook</title>{cell._repr_html_()}", encoding="utf-8")
    browser.said.clear()
    browser.open(notebook.as_uri(), shown="document.readyState === 'complete'")
    browser.enter_frame()
    assert browser.run("document.querySelector('h1').textContent") == "Edge </script><b onclick='x'>"
    browser.until("window.dalembert && dalembert.times.draw.length > 0")
    found = browser.run("dalembert.set({ J: 0.8 }).then(() => dalembert.columns('vakonomic').x.at(-1))")
    assert np.isfinite(found) and browser.said == []
