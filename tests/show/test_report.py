"""Reports: one page that holds what was computed, loads nothing, runs nothing, and opens without a network."""

import dataclasses
import json
import re
import shutil
import subprocess
import sys
import textwrap
from importlib.util import find_spec

import numpy as np
import pytest

import dalembert as da
import pages
from dalembert import penalties
from dalembert.apps.report import report
from dalembert.experiment.penalty_limit import limit
from dalembert.show.html.curve_sampling import SampledPath
from dalembert.show.report import POLICY, page_parts
from dalembert.show.report.page_parts import residuals
from dalembert.systems import heisenberg, pendulum_cartesian, penny

HOSTILE = "</title></script><img src=x onerror=alert(1)>\x1b[31m\x00\u202e&amp;\"'"
SYSTEM = heisenberg.system()


@pytest.fixture(scope="module")
def pendulum():
    system = pendulum_cartesian.system()
    equations = da.nonholonomic(system)
    start = equations.start(**pendulum_cartesian.START)
    return system, start, da.simulate(equations, start, until=2.0, stabilisation=da.methods.Drift(), rtol=1e-6)


def written(thing, tmp_path, **options):
    return report(thing, tmp_path / "page.html", **options).read_text(encoding="utf-8")


def sections(content):
    """Words of each section by its heading."""
    found = {}
    for section in pages.tree(content).iter("section"):
        found[section.findtext("h2")] = " ".join("".join(section.itertext()).split())
    return found


def everything(tmp_path, rolled, compared):
    """Pages of all kinds."""
    yield written(rolled, tmp_path)
    yield written(rolled, tmp_path, system=penny.system())
    yield written(compared, tmp_path, system=SYSTEM, command="dalembert compare <file>", source="title = '</pre>'")


def test_a_page_is_whole_well_formed_and_loads_nothing(tmp_path, rolled, compared):
    for content in everything(tmp_path, rolled, compared):
        assert not pages.harmless(content)
        root = pages.tree(content)
        assert root.get("lang") == "en"
        policies = [m.get("content") for m in root.iter("meta") if m.get("http-equiv") == "Content-Security-Policy"]
        assert policies == [POLICY]
        assert "default-src 'none'" in POLICY
        assert "script" not in POLICY
        assert len(content.encode()) < 2_000_000


def test_links_lead_to_sections(tmp_path, compared):
    page = pages.Page(written(compared, tmp_path, system=SYSTEM))
    targets = {a["id"] for _, a in page.elements if "id" in a}
    assert {v.removeprefix("#") for v in page.addresses} == targets


def test_hostile_titles_names_and_sources_are_text(tmp_path, rolled):
    provenance = {**rolled.provenance, "title": HOSTILE, "platform": HOSTILE, "principle": HOSTILE}
    marks = {HOSTILE: next(iter(rolled.marks.values()))}
    path = dataclasses.replace(rolled, provenance=provenance, outcome=HOSTILE, marks=marks)
    content = written(path, tmp_path, title=HOSTILE, command=HOSTILE, source=HOSTILE)
    assert not pages.harmless(content)
    assert pages.tree(content).findtext("head/title").startswith("</title></script><img src=x onerror=alert(1)>")


def test_every_number_of_the_run_is_in_the_page(tmp_path, rolled):
    found = set(pages.Page(written(rolled, tmp_path, system=penny.system())).numbers)
    for column in rolled.values.T:
        assert {column[0], column[-1], column.min(), column.max()} <= found
    for number in ({**rolled.provenance["parameters"], **rolled.provenance["start"]}).values():
        assert number in found
    assert set(rolled.marks["crossing"].t) <= found
    assert {rolled.provenance["rtol"], rolled.provenance["until"], rolled.audit.work_balance} <= found


def test_a_comparison_tells_verdict_distances_and_both_runs(tmp_path, compared):
    content = written(compared, tmp_path, system=SYSTEM)
    page, told = pages.Page(content), sections(content)
    for pair in compared.pairs:
        assert " ".join(pair.verdict.split()) in page.words
        assert {pair.largest, pair.at_end, pair.parts_at} <= set(page.numbers)
    for path in compared.paths:
        assert {path.audit.work_balance, path.audit.constraint_residual} <= set(page.numbers)
    assert {"Equations under each principle", "Start", "Audits", "What this rests on", "Provenance"} <= set(told)
    assert "lewis1995" in told["What this rests on"]
    assert "kozlov1983" in told["What this rests on"]


def test_the_equations_stand_side_by_side_with_the_difference_marked(tmp_path, compared):
    pytest.importorskip("latex2mathml")
    content = written(compared, tmp_path, system=SYSTEM)
    root = pages.tree(content)
    sides = next(e for e in root.iter("div") if e.get("class") == "sides")
    marks = [{e.get("class") for e in side.iter("span")} for side in sides]
    assert "term extra" not in marks[0]
    assert {"term rate", "term extra"} <= marks[1]
    assert any(e.tag.endswith("math") for e in sides.iter())
    assert "the term that the nonholonomic equations do not have" in pages.Page(content).words


def test_a_start_says_what_was_given_and_what_follows(tmp_path, pendulum):
    system, start, path = pendulum
    assert start.follows
    content = written(path, tmp_path, system=system, start=start)
    section = next(e for e in pages.tree(content).iter("section") if e.findtext("h2") == "Start")
    rows = {row[0].text: (row[1], row[2]) for row in section.find(".//tbody")}
    assert set(rows) == set(start)
    for name, (value, how) in rows.items():
        assert float(value.find("data").get("value")) == start[name]
        assert how.text == ("follows from the constraints" if name in start.follows else "given")


def test_residuals_are_those_of_the_audit(pendulum):
    """The drift of unstabilised runs, taken from the columns, is the residual that the audit found."""
    rolling = penny.system()
    drifting = da.simulate(
        da.nonholonomic(rolling), penny.START, until=3.0, stabilisation=da.methods.Drift(), rtol=1e-6
    )
    for system, path in ((pendulum[0], pendulum[2]), (rolling, drifting)):
        found = residuals(path, da.nonholonomic(system), SampledPath.of(path))
        assert set(found) == set(path.audit.constraints)
        worst = max(np.abs(v).max() for v in found.values())
        # the audit looks at other times, a few on every step, and at the positions of holonomic constraints too
        assert 0.5 < worst / path.audit.constraint_residual < 1.2


def test_a_stored_path_alone_has_a_page_that_says_what_is_missing(tmp_path, rolled):
    rolled.save(tmp_path / "path.npz")
    content = written(tmp_path / "path.npz", tmp_path)
    assert "no formulas" in sections(content)["The system"]
    assert "Equations of motion" not in sections(content)
    assert set(pages.Page(content).numbers) >= {rolled["x"][-1], rolled.audit.work_balance}


ALONE = """
    import sys
    for heavy in ("sympy", "matplotlib", "latex2mathml", "jinja2"):
        sys.modules[heavy] = None
    from dalembert.apps.report import report
    report(sys.argv[1], sys.argv[2])
"""


def test_a_stored_path_has_a_page_without_sympy_and_without_matplotlib(tmp_path, rolled):
    rolled.save(tmp_path / "path.npz")
    command = [sys.executable, "-c", textwrap.dedent(ALONE), tmp_path / "path.npz", tmp_path / "page.html"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not pages.harmless((tmp_path / "page.html").read_text(encoding="utf-8"))


def test_what_is_typed_again_gives_the_same_path(rolled):
    """The program in the provenance is run as it stands, with the system and the events."""
    system = penny.system()
    code = page_parts.script(rolled)
    space = {"system": system}
    exec(code, space)  # the page's own words, for the test of them
    again = space["path"]
    assert again.provenance["start"] == rolled.provenance["start"]
    np.testing.assert_array_equal(again.values, rolled.values)


@pytest.mark.parametrize(
    ("method", "order", "typed"), [("radau", 9, True), ("radau", None, False), ("dop853", 8, False)]
)
def test_an_order_that_was_chosen_is_typed_again(rolled, method, order, typed):
    path = dataclasses.replace(rolled, provenance={**rolled.provenance, "method": method, "order": order})
    assert (f"order={order}," in page_parts.script(path)) is typed


def test_the_hash_is_that_of_the_inputs(rolled):
    known = page_parts.digest(rolled.provenance)
    assert re.fullmatch("[0-9a-f]{64}", known)
    assert page_parts.digest({**rolled.provenance, "platform": "another", "versions": {}}) == known
    start = {**rolled.provenance["start"], "x": np.nextafter(rolled.provenance["start"]["x"], 1)}
    for other in ({"start": start}, {"rtol": 1e-8}, {"principle": "vakonomic"}, {"parameters": {"m": 2.0}}):
        assert page_parts.digest({**rolled.provenance, **other}) != known
    stored = json.loads(json.dumps(dict(rolled.provenance)))
    assert page_parts.digest(stored) == known


def test_limits_and_sweeps_have_pages(tmp_path):
    q = da.coordinates("x y")
    system = da.System(q, (q["vx"] ** 2 + q["vy"] ** 2) / 2 - q["y"], {"rail": q["vy"]}, title="Rail")
    start = {"x": 0, "y": 0, "vx": 1}
    found = limit(system, penalties.viscous, da.nonholonomic, start=start, until=2.0, strengths=[1.0, 10.0, 100.0, 1e3])
    content = written(found, tmp_path, system=system)
    assert not pages.harmless(content)
    assert set(found.errors) <= set(pages.Page(content).numbers)
    pytest.importorskip("xarray")
    ends = da.sweep(da.nonholonomic(system), starts={**start, "vx": np.linspace(0, 1, 5)}, until=1.0)
    content = written(ends, tmp_path, system=system)
    assert not pages.harmless(content)
    assert "reached the end" in sections(content)["How the members ended"]
    assert float(ends["x"].max()) in pages.Page(content).numbers


def test_a_page_appears_whole_or_not_at_all(tmp_path, rolled, monkeypatch):
    file = tmp_path / "page.html"
    file.write_text("before")

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(da.DalembertError, match="E530"):
        report(rolled, file)
    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]


def test_what_cannot_be_reported_or_written_is_refused(tmp_path, rolled):
    with pytest.raises(da.DalembertError, match="E530"):
        report(rolled, tmp_path / "missing" / "page.html")
    with pytest.raises(da.DalembertError, match="E307"):
        report({"x": 1}, tmp_path / "page.html")
    with pytest.raises(da.DalembertError, match="E501"):
        report(tmp_path / "none.npz", tmp_path / "page.html")
    for name in (None, 3, b"page.html", "", "a\0b"):
        with pytest.raises(da.DalembertError, match="E501"):
            report(rolled, name)
    assert not list(tmp_path.iterdir())


# --- a browser -------------------------------------------------------------------------------------------------------

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)


@pytest.mark.skipif(find_spec("playwright") is None, reason="Playwright is not installed")
@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the pipes that Playwright leaves to the collector
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_a_browser_without_names_asks_for_nothing_and_complains_of_nothing(tmp_path, rolled, compared, width, scheme):
    from playwright.sync_api import sync_playwright

    flags = ["--host-resolver-rules=MAP * ~NOTFOUND", "--no-sandbox"]
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=BROWSER, args=flags)
        for content in everything(tmp_path, rolled, compared):
            (tmp_path / "page.html").write_text(content, encoding="utf-8")
            page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
            heard, asked = [], []
            page.on("console", lambda message, heard=heard: heard.append(message.text))
            page.on("pageerror", lambda error, heard=heard: heard.append(str(error)))
            page.on("request", lambda request, asked=asked: asked.append(request.url))
            page.goto((tmp_path / "page.html").as_uri())
            assert heard == []
            assert asked == [(tmp_path / "page.html").as_uri()]
            # nothing sticks out at the side, and every figure has a size
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            sizes = page.evaluate(
                "[...document.querySelectorAll('figure>svg')].map(s => s.getBoundingClientRect().width)"
            )
            shown = page.evaluate("[...document.querySelectorAll('main>section>*>figure>svg')].length")
            assert len(sizes) >= shown
            ground, ink = page.evaluate(
                "[getComputedStyle(document.documentElement).backgroundColor, getComputedStyle(document.body).color]"
            )
            assert (lightness(ground) < 0.2) == (scheme == "dark")
            assert abs(lightness(ground) - lightness(ink)) > 0.6
            page.close()
        browser.close()


def lightness(colour):
    """Mean of the parts of ``rgb(r, g, b)``, 0 to 1."""
    return np.mean([float(v) for v in re.findall(r"[0-9.]+", colour)[:3]]) / 255
