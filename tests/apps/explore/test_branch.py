"""A branch on a page: its rows are steady motions there too, and what is not is refused."""

import json
import re

import numpy as np
import pytest
import sympy as sp
from fuzz.browser import CHROMIUM, Browser

import dalembert as da
from dalembert.systems import rolling_disc
from zoo import GALLERY

CANVAS = "document.querySelector('#rows canvas')"
ROW = f"+{CANVAS}.getAttribute('aria-valuenow') - 1"
needs_a_browser = pytest.mark.skipif(CHROMIUM is None, reason="no browser: install chromium, or name one in CHROMIUM")
FORK = np.sqrt(9.81 / 0.5)  # w^2 = g / l


def hoop(g=9.81, **definitions):
    q = da.coordinates("theta")
    theta, vtheta = q["theta"], q["vtheta"]
    w, G, l = sp.symbols("w g l", positive=True)
    L = l**2 * (vtheta**2 + w**2 * sp.sin(theta) ** 2) / 2 + G * l * sp.cos(theta)
    return da.System(q, L, parameters={"w": 1.0, "g": g, "l": 0.5}, definitions=definitions)


def hanging(system):
    rest = da.steady(da.free(system), {"theta": 0})
    return da.continue_steady(system, parameter="w", start=rest, over=(0.1, 10.0))


def tilted(system):
    return da.continue_steady(system, parameter="w", start=hanging(system).switch(0), over=(0.1, 10.0))


def circles(**more):
    small = da.nonholonomic(GALLERY.reduction("rolling_disc").system)
    start = da.steady(small, {"theta": 1.2, "vphi": 2.0, "vpsi": 3.0}, fix="theta vphi")
    return da.continue_steady(small, start=start, fix="theta", **more)


def swinging(system, value=0.3, over=(0.1, 3.0)):
    orbit = da.periodic(da.free(system), {"theta": value, "vtheta": 0.0}, period=1.5)
    return da.families.continue_periodic(orbit, parameter="theta", over=over)


def model(cell):
    return json.loads(re.search(r'id="model">(.*?)</script>', cell.page, re.DOTALL)[1])


def test_a_page_tells_a_branch_from_its_own_first_row():
    system = hoop()
    branch = hanging(system)
    found = model(da.explore(system, branch=branch))
    told, [entry] = found["branch"], found["entries"]
    assert told["parameter"] == "w" and told["sets"]
    assert told["values"] == branch.values.tolist()
    assert entry["parameters"]["w"] == branch.values[0] and entry["until"] == 5.0
    [[kind, value, row]] = told["special"]
    assert (kind, value) == ("branch point", pytest.approx(FORK)) and abs(told["values"][row] - value) < 0.1
    [(a, b, low), (c, d, high)] = told["pieces"]  # stable below the fork, unstable above, no gap between
    assert (a, low, high, d) == (0, True, False, len(branch) - 1) and b == c
    assert branch["w"][b - 1] < FORK < branch["w"][b + 1]
    [slider] = [each for each in found["sliders"] if each["name"] == "w"]
    assert (slider["low"], slider["high"]) == (branch["w"].min(), branch["w"].max())


def test_without_one_a_page_has_none_and_a_start_of_ones_own_stays():
    system = hoop()
    assert model(da.explore(system, start={"theta": 0.1, "vtheta": 0}))["branch"] is None
    found = model(da.explore(system, start={"theta": 0.1, "vtheta": 0}, branch=hanging(system)))
    assert found["entries"][0]["values"]["theta"] == 0.1 and found["parameters"]["w"] == 1.0


def test_a_branch_of_the_reduced_system_is_shown_with_the_bodies():
    branch = circles(parameter="vphi", over=(1, 4))
    found = model(da.explore(rolling_disc.system(), branch=branch))
    assert not found["branch"]["sets"]  # the state says it
    assert found["bodies"] and set(found["branch"]["states"]) == set(branch.names)
    values = found["entries"][0]["values"]
    assert {n: values[n] for n in branch.names} == pytest.approx(branch.rows[0].state, abs=1e-12)


@pytest.mark.parametrize(
    ("shown", "branch", "said"),
    [
        (hoop, lambda: 3, "not 3"),
        (hoop, lambda: hanging(hoop(g=3.0)), "no such steady motion"),  # at rest too, with other eigenvalues
        (hoop, lambda: tilted(hoop(g=3.0)), "no such steady motion"),
        (lambda: rolling_disc.system(g=3.0), lambda: circles(parameter="vphi", over=(1, 4)), "no such steady motion"),
        (rolling_disc.system, lambda: hanging(hoop()), "w, which|states that"),
        (rolling_disc.system, lambda: circles(parameter={"speed": "-r*vpsi"}, over=(0.2, 2)), "along speed"),
    ],
)
def test_a_branch_of_something_else_is_refused(shown, branch, said):
    with pytest.raises(da.DalembertError, match=said) as refused:
        da.explore(shown(), branch=branch())
    assert refused.value.code == "E307" and refused.value.remedy


def test_a_page_tells_periodic_motions_with_their_periods():
    system = hoop()
    orbits = swinging(system)
    found = model(da.explore(system, branch=orbits))
    told, [entry] = found["branch"], found["entries"]
    assert told["parameter"] == "theta" and not told["sets"]
    assert told["columns"][0] == "period" and told["periods"] == told["whole"]["period"] == orbits.periods.tolist()
    assert entry["values"]["theta"] == orbits["theta"][0] and entry["until"] == orbits.periods[0]


def test_motions_that_begin_later_with_parameters_of_their_own_are_told_so():
    system = hoop()
    start = da.free(system).start(theta=0.3, vtheta=0.0, t=2.0, parameters={"w": 2.0})
    orbits = da.families.continue_periodic(
        da.periodic(da.free(system), start, period=1.6), parameter="period", over=(1.5, 2.0)
    )
    found = model(da.explore(system, branch=orbits))
    [entry] = found["entries"]
    assert entry["t"] == 2.0 and entry["until"] == 2.0 + orbits.periods[0] and entry["parameters"]["w"] == 2.0
    assert found["branch"]["parameter"] == "period" and "period" not in found["branch"]["columns"]


def test_periodic_motions_of_other_numbers_are_refused():
    with pytest.raises(da.DalembertError, match="no such periodic motion") as refused:
        da.explore(hoop(g=9.0), branch=swinging(hoop()))
    assert refused.value.code == "E307" and refused.value.remedy


@pytest.fixture(scope="module")
def branch():
    return tilted(hoop())


@pytest.fixture(scope="module")
def browser(branch, tmp_path_factory):
    folder = tmp_path_factory.mktemp("branch")
    page = da.explore(hoop(), folder / "page.html", branch=branch)
    with Browser(folder) as found:
        found.open(page.as_uri())
        found.until(f"{CANVAS}.height > 50")
        yield found


def drawn(browser, share):
    """Where the canvas has this share of its width and half its height."""
    box = browser.run(f"(({{ left, top, width, height }}) => [left, top, width, height])"
                      f"({CANVAS}.getBoundingClientRect())")  # fmt: skip
    return {"x": box[0] + share * box[2], "y": box[1] + 0.5 * box[3]}


def shown_by(browser):
    return browser.run("dalembert.set({}).then(() => dalembert.columns('free'))")


def clicked(browser, share):
    """The columns shown after a click at this share of the branch, once the picture has gone to another row."""
    before = browser.run(ROW)
    for kind in ("mousePressed", "mouseReleased"):
        browser.send("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **drawn(browser, share))
    browser.until(f"{ROW} !== {before}")
    browser.until("document.querySelector('.play').getAttribute('aria-label') === 'Stop'")
    return shown_by(browser)


@needs_a_browser
def test_a_click_shows_the_motion_of_a_row(browser, branch):
    rows = []
    for share in (0.3, 0.9):
        columns = clicked(browser, share)
        rows.append(int(np.abs(branch["theta"] - columns["theta"][0]).argmin()))
        browser.until(f"{ROW} === {rows[-1]}")
        w = float(browser.run("document.querySelector('input[type=number][aria-label^=w]').value"))
        assert w == pytest.approx(branch["w"][rows[-1]], rel=1e-5)
        # cos(theta) = g / (w^2 l), for all time where it is stable
        assert np.cos(columns["theta"]) == pytest.approx(9.81 / (branch["w"][rows[-1]] ** 2 * 0.5), abs=1e-7)
        assert ", stable" in browser.run(f"{CANVAS}.getAttribute('aria-valuetext')")
    assert abs(rows[0] - rows[1]) > 10
    assert browser.said == []


@needs_a_browser
def test_keys_go_from_row_to_row_and_the_link_keeps_it(browser, branch):
    browser.run(f"dalembert.set({{ row: 20 }}).then(() => {CANVAS}.focus())")
    browser.press("ArrowRight", 3)
    assert shown_by(browser)["theta"][0] == pytest.approx(branch["theta"][23], rel=1e-12)
    browser.press("ArrowLeft")
    assert shown_by(browser)["theta"][0] == pytest.approx(branch["theta"][22], rel=1e-12)
    browser.until(f"{ROW} === 22 && location.hash.includes('w={float(branch['w'][22])!r}')")
    address = browser.run("location.href")
    browser.open(address)
    browser.until(f"{ROW} === 22")


@needs_a_browser
def test_beside_the_branch_it_says_so(browser):
    browser.run("dalembert.set({ row: 5 })")
    browser.run("dalembert.set({ theta: 0.05 })")
    browser.until(f"{CANVAS}.getAttribute('aria-valuetext') === 'beside the branch'")
    assert browser.run("(() => { try { dalembert.set({ row: -1 }); } catch (e) { return e.message; } })()")
    assert {each.partition(":")[0] for each in browser.asked} <= {"file", "blob"} and browser.said == []


@needs_a_browser
def test_a_click_shows_a_periodic_motion_for_its_period(tmp_path):
    orbits = swinging(hoop())
    page = da.explore(hoop(), tmp_path / "swings.html", branch=orbits)
    with Browser(tmp_path) as browser:
        browser.open(page.as_uri())
        browser.until(f"{CANVAS}.height > 50")
        rows = []
        for share in (0.3, 0.9):
            columns = clicked(browser, share)
            rows.append(int(np.abs(orbits["theta"] - columns["theta"][0]).argmin()))
            browser.until(f"Math.abs(document.querySelector('#until').value / {orbits.periods[rows[-1]]} - 1) < 1e-5")
            # it comes back in its period, and meets the other side half way
            assert columns["theta"][-1] == pytest.approx(columns["theta"][0], abs=1e-7)
            assert min(columns["theta"]) == pytest.approx(-columns["theta"][0], rel=1e-3)
            browser.until(f"{ROW} === {rows[-1]}")
            assert "period = " in browser.run(f"{CANVAS}.getAttribute('aria-valuetext')")
        assert abs(rows[0] - rows[1]) > 3 and browser.said == []
