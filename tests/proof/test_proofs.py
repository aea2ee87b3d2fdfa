"""Proved motions: what is known in closed form lies inside, what was changed is refused, broken laws are seen."""

import copy
import json
import math
import random
from fractions import Fraction
from pathlib import Path

import pytest

import dalembert as da
from dalembert.systems import ball_on_turntable, heisenberg, pendulum_cartesian, penny, rattleback, rolling_disc

pytest.importorskip("flint")
mp = pytest.importorskip("mpmath").mp

from dalembert.calculus.graph import symbols  # noqa: E402
from dalembert.proof import certificate, differential_equations  # noqa: E402
from dalembert.proof.certificate import NotProved, check  # noqa: E402

SWING = da.System(da.angle("th"), "vth^2/2 + 9.81*cos(th)", title="Pendulum")
RNG = random.Random(7)


@pytest.fixture(autouse=True)
def many_digits():
    with mp.workdps(60):
        yield


def given(**limits):
    """Random values with few digits, which are exact as they are written."""
    return {name: round(RNG.uniform(low, high), 3) for name, (low, high) in limits.items()}


def number(x):
    """A value as it was written."""
    return mp.mpf(str(x))


def holds(enclosure, value):
    """Does the true value, known to 50 digits, lie in the interval?"""
    low, high = (mp.mpf(end.numerator) / end.denominator for end in (enclosure.lower, enclosure.upper))
    return low - mp.mpf(10) ** -50 <= value <= high + mp.mpf(10) ** -50


def swing(start, t):
    """th(t) with sin(th/2) = k sn(w t + u0 | k^2), of a pendulum that swings [dlmf2010 22.19]."""
    th, rate, w, t = number(start["th"]), number(start["vth"]), mp.sqrt(number("9.81")), number(t)
    k = mp.sqrt(mp.sin(th / 2) ** 2 + (rate / (2 * w)) ** 2)
    u = mp.ellipf(mp.asin(mp.sin(th / 2) / k), k * k)
    u = u if rate >= 0 else 2 * mp.ellipk(k * k) - u
    return 2 * mp.asin(k * mp.ellipfun("sn", w * t + u, m=k * k))


# --- closed motions lie inside ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [1, -1])
def test_a_pendulum_swings_by_an_elliptic_function(rate):
    start = given(th=(-1, 1), vth=(rate, 2 * rate))
    proof = da.prove(da.free(SWING), start, until=4, digits=20)
    for t in ("0.3", "2.1", "4"):
        found = proof.at(Fraction(t))["th"]
        assert holds(found, swing(start, t))
        assert found.width < Fraction(1, 10**20)


def test_a_penny_rolls_round_a_circle():
    start = given(x=(-1, 1), y=(-1, 1), phi=(-3, 3), psi=(-1, 1), vphi=(0.5, 2), vpsi=(1, 3))
    proof = da.prove(da.nonholonomic(penny.system(R=0.3)), start, until=10)
    x, y, phi, psi, turn, roll = (number(start[name]) for name in ("x", "y", "phi", "psi", "vphi", "vpsi"))
    for t in map(mp.mpf, ("1.7", "10")):
        at, radius = proof.at(Fraction(str(t))), number("0.3") * roll / turn
        assert holds(at["x"], x + radius * (mp.sin(phi + turn * t) - mp.sin(phi)))
        assert holds(at["y"], y - radius * (mp.cos(phi + turn * t) - mp.cos(phi)))
        assert holds(at["psi"], psi + roll * t)


def test_a_ball_on_a_turning_table_rolls_round_a_circle():
    start = given(x=(-3, 3), y=(-3, 3), vx=(-2, 2), vy=(-2, 2), w3=(0, 1))
    system = ball_on_turntable.system()
    proof = da.prove(da.nonholonomic(system), start, until=3, parameters={"m": 1, "r": 2, "I": 1.6, "Omega": 3})
    rate = number(3) / (1 + mp.mpf(4) / number("1.6"))  # I Omega/(I + m r^2)
    p, v = mp.mpc(number(start["x"]), number(start["y"])), mp.mpc(number(start["vx"]), number(start["vy"]))
    for t in map(mp.mpf, ("0.7", "3")):
        z, at = p + v * (mp.expj(rate * t) - 1) / (1j * rate), proof.at(Fraction(str(t)))
        assert holds(at["x"], z.real)
        assert holds(at["y"], z.imag)
        length = sum(mp.mpf(float(at[f"R_{c}"])) ** 2 for c in "wxyz")
        assert abs(length - 1) < 1e-14


def test_a_line_of_the_heisenberg_system_is_exact():
    start = given(x=(-1, 1), y=(-1, 1), z=(-1, 1), vx=(-1, 1), vy=(-1, 1))
    at = da.prove(da.nonholonomic(heisenberg.system()), start, until=10).at(10)
    x, y, z, vx, vy = (Fraction(str(start[name])) for name in ("x", "y", "z", "vx", "vy"))
    assert at["x"].lower <= x + 10 * vx <= at["x"].upper
    assert at["z"].lower <= z + 5 * (x * vy - y * vx) <= at["z"].upper


def test_vakonomic_motions_are_enclosed_in_their_multipliers_too():
    """The charge in a magnetic field: a circle that is run at the rate -lam/m."""
    start = given(x=(-1, 1), y=(-1, 1), z=(-1, 1), vx=(0.5, 1), vy=(-1, 1), lam_area=(1, 2))
    at = da.prove(da.vakonomic(heisenberg.system()), start, until=5).at(5)
    rate = -number(start["lam_area"])
    p, v = mp.mpc(number(start["x"]), number(start["y"])), mp.mpc(number(start["vx"]), number(start["vy"]))
    z = p + v * (mp.expj(rate * 5) - 1) / (1j * rate)
    assert holds(at["x"], z.real)
    assert holds(at["y"], z.imag)
    assert holds(at["lam_area"], number(start["lam_area"]))


def test_a_rod_stays_as_long_as_it_is():
    """The start lies on the circle as it is enclosed, not as it is rounded."""
    equations = da.nonholonomic(pendulum_cartesian.system())
    at = da.prove(equations, equations.start(x=0.6, vx=0.3, guess={"y": -0.8, "vy": 0.0}), until=2).at(2)
    ends = [[abs(end) for end in (at[name].lower, at[name].upper)] for name in "xy"]
    low, high = (sum(which(pair) ** 2 for pair in ends) for which in (min, max))
    assert low <= 1 <= high
    assert high - low < 1e-15


# --- what is proved twice, and how far -------------------------------------------------------------------------------


def test_two_precisions_meet():
    disc, start = da.nonholonomic(rolling_disc.system()), rolling_disc.START
    one, two = (da.prove(disc, start, until=1, digits=digits).at(1) for digits in (8, 25))
    assert all(max(one[n].lower, two[n].lower) <= min(one[n].upper, two[n].upper) for n in one)
    assert all(two[n].width < one[n].width / 10**10 for n in ("theta", "vphi"))


def test_a_proof_says_how_far_it_came():
    with pytest.warns(da.DalembertWarning, match=r"W873 proved to t = .* of 10, in 3 steps"):
        proof = da.prove(da.free(SWING), {"th": 1, "vth": 0}, until=10, steps=3)
    assert not proof.ok
    assert 0 < proof.until < 10
    assert proof.at(proof.until)["th"].digits >= 12
    with pytest.raises(da.DalembertError, match="E303"):
        proof.at(10)


def test_what_is_not_smooth_is_refused_by_name():
    line = da.line("x")
    for force, said in (
        ("-abs(vx)*vx", "abs stands"),
        ("-besselj(0, x)", "besselj stands"),
        ("-0.1234567890123456*x", "0.123"),
    ):
        with pytest.raises(da.DalembertError, match=f"E87. .*{said}"):
            da.prove(da.free(da.System(line, "vx^2/2", forces={"vx": force})), {"x": 1, "vx": 1}, until=1)


def test_elementary_functions_are_enclosed():
    """x' = 1 carries t; each force is the second derivative of what y must be."""
    t = da.coordinates("x y")
    for force, known in (
        ("exp(-x)", lambda s: mp.exp(-s) + s - 1),
        ("tan(x)^2*0 + 1/sqrt(1 + x)", lambda s: (mp.mpf(4) / 3) * (1 + s) ** mp.mpf("1.5") - 2 * s - mp.mpf(4) / 3),
        ("log(1 + x)", lambda s: (1 + s) ** 2 * (2 * mp.log(1 + s) - 3) / 4 + s + mp.mpf(3) / 4),
        ("atan(x)", lambda s: ((s * s - 1) * mp.atan(s) - s * mp.log(1 + s * s) + s) / 2),
        ("cosh(x)", lambda s: mp.cosh(s) - 1),
        ("asin(x/2)", lambda s: mp.quad(lambda r: (s - r) * mp.asin(r / 2), [0, s])),
        ("(1 + x)^0.3", lambda s: ((1 + s) ** mp.mpf("2.3") - 1) / (mp.mpf("1.3") * mp.mpf("2.3")) - s / mp.mpf("1.3")),
    ):
        moving = da.free(da.System(t, "vx^2/2 + vy^2/2", forces={"vy": force}))
        at = da.prove(moving, {"x": 0, "y": 0, "vx": 1, "vy": 0}, until=1, digits=20).at(1)
        assert holds(at["y"], known(mp.mpf(1))), force
        assert at["y"].width < Fraction(1, 10**20)


# --- events ----------------------------------------------------------------------------------------------------------


def test_the_times_of_a_swing_are_those_of_the_elliptic_integral():
    """From rest at th0 the bottom is passed at K/w, 3 K/w, ..., and the rod stands at 2 K/w, 4 K/w, ..."""
    proof = da.prove(da.free(SWING), {"th": 1.2, "vth": 0}, until="3 s", events={"bottom": "th", "end": "vth + th - 9"})
    quarter = mp.ellipk(mp.sin(mp.mpf("0.6")) ** 2) / mp.sqrt(number("9.81"))
    assert len(proof.events["bottom"]) == int((3 / quarter + 1) / 2)
    assert all(holds(time, (2 * n + 1) * quarter) for n, time in enumerate(proof.events["bottom"]))
    assert all(time.digits > 12 for time in proof.events["bottom"])
    assert proof.events["end"] == ()


def test_the_time_at_which_a_falling_disc_reaches_a_lean():
    disc = da.nonholonomic(rolling_disc.system())
    proof = da.prove(disc, rolling_disc.START, until=0.5, events={"lean": "theta - 1"})
    path = da.simulate(disc, rolling_disc.START, until=0.5, events={"lean": "theta - 1"}, rtol=1e-12, atol=1e-13)
    (time,), (seen,) = proof.events["lean"], path.marks["lean"].t
    assert time.digits > 12
    assert abs(float(time) - seen) < 1e-9


def test_a_rattleback_reverses_its_spin_once():
    """From -0.3 to above 0, at one time in 2.5 s; the run says when, the proof that there is no other."""
    start = {"x": 0, "y": 0, "z": 0.01, "R": "identity", "w1": 0.1, "w2": 0.5, "w3": -0.3}
    rocking = da.nonholonomic(rattleback.system())
    proof = da.prove(rocking, start, until=2.5, digits=6, events={"reversal": "w3"})
    seen = da.simulate(rocking, start, until=2.5, events={"reversal": "w3"}, rtol=1e-12).marks["reversal"].t
    (time,) = proof.events["reversal"]
    assert abs(float(time) - seen[0]) < 1e-8
    assert proof.at(0)["w3"].upper < 0 < proof.at(2.5)["w3"].lower


def test_a_wall_that_is_met_ends_the_claim_and_one_that_is_not_is_proved_to_be_far():
    fall = da.free(da.System(da.line("x"), "vx^2/2 - 9.81*x", walls={"floor": "x"}))
    proof = da.prove(fall, {"x": 1, "vx": 0}, until=0.45)
    assert proof.events["floor"] == ()
    with pytest.raises(da.DalembertError, match=r"E870 the motion meets the wall floor at t = 0\.451524"):
        da.prove(fall, {"x": 1, "vx": 0}, until=0.46)


def test_a_touch_is_not_decided():
    with pytest.raises(da.DalembertError, match="E874"):
        da.prove(da.free(da.System(da.line("x"), "vx^2/2")), {"x": 1, "vx": -1}, until=2, events={"touch": "x^2"})


def test_times_that_were_changed_are_refused():
    data = da.prove(da.free(SWING), {"th": 1, "vth": 0}, until=2, digits=6, events={"bottom": "th"}).certificate
    claimed = data["events"]["bottom"]["crossings"]
    check(json.loads(json.dumps(data)))
    k, low, a, b, high = claimed[0]
    width = Fraction(b) - Fraction(a)
    later = [k, low, str(Fraction(b)), str(Fraction(b) + width), high]
    for crossings in (
        claimed[1:],
        [*claimed, claimed[-1]],
        [later, *claimed[1:]],
        [[k + 1, *claimed[0][1:]], *claimed[1:]],
    ):
        with pytest.raises(NotProved):
            check({**data, "events": {"bottom": {"guard": data["events"]["bottom"]["guard"], "crossings": crossings}}})


# --- states of rest --------------------------------------------------------------------------------------------------


def test_a_steady_circle_of_a_disc_exists_and_is_a_centre():
    """I w^2 = what the frequency of small disturbances is, against its closed form, at a lean that is exact."""
    reduced = da.nonholonomic(da.reduce(rolling_disc.system()).system)
    steady = da.steady(reduced, {"theta": 1.2, "vtheta": 0, "vphi": 1.0, "vpsi": -5.0}, fix="theta vphi")
    proof = da.prove(reduced, steady)
    assert proof["theta"].lower <= Fraction(6, 5) <= proof["theta"].upper
    assert proof["vpsi"].digits > 20
    assert abs(float(proof["vpsi"]) - steady.state["vpsi"]) < 1e-12
    frequency = max(float(part) for _, part in proof.eigenvalues)
    assert abs(frequency - max(steady.eigenvalues.imag)) < 1e-9
    assert not proof.unstable


def test_an_upright_pendulum_is_proved_to_be_unstable(tmp_path):
    """th = pi: the eigenvalues are +- sqrt(9.81)."""
    proof = da.prove(da.free(SWING), da.steady(da.free(SWING), {"th": 3.1, "vth": 0}))
    assert holds(proof["th"], mp.pi)
    assert holds(proof.eigenvalues[0][0], mp.sqrt(number("9.81")))
    assert proof.unstable
    check(json.loads(proof.save(tmp_path / "up.proof").read_text(encoding="utf-8")))
    data = copy.deepcopy(proof.certificate)
    data["start"]["unknown"]["th"] = str(Fraction(data["start"]["unknown"]["th"]) + Fraction(1, 10**20))
    with pytest.raises(NotProved):
        check(data)


def test_one_of_a_family_is_not_told_apart():
    free = da.free(da.System(da.coordinates("x y"), "vx^2/2 + vy^2/2 - (x - y)^2"))
    with pytest.raises(da.DalembertError, match="E875"):
        da.prove(free, {"x": 1, "y": 1, "vx": 0, "vy": 0})


# --- certificates ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stated():
    """A short certificate."""
    return da.prove(da.free(SWING), {"th": 1.1, "vth": 0.3}, until=1, digits=6).certificate


def disturbed(data, rng):
    """The certificate with one number of one step, set or start a little different."""
    data = copy.deepcopy(data)
    step, node = rng.choice(data["steps"]), rng.choice(data["nodes"])
    i, part = rng.randrange(2), 1 + rng.choice([-1, 1]) * 10.0 ** rng.uniform(-2.5, 1)
    what = rng.choice(["h", "p", "within", "at", "radii", "frame", "constants", "lines"])
    if what == "h":
        step["h"] = str(Fraction(step["h"]) * (1 + rng.choice([-1, 1]) * Fraction(1, 2 ** rng.randrange(1, 40))))
    elif what == "p":
        j = rng.randrange(len(step["p"][i]))
        step["p"][i][j] = f"{int(step['p'][i][j], 16) + rng.choice([-1, 1]) * 2 ** rng.randrange(12, 40):x}"
    elif what == "at":
        node["at"][i] = f"{int(node['at'][i], 16) + rng.choice([-1, 1]) * 2 ** rng.randrange(12, 40):x}"
    elif what in ("within", "radii"):
        (step if what == "within" else node)[what][i] *= part
    elif what == "frame":
        node["frame"][i][rng.randrange(2)] += rng.choice([-1, 1]) * 10.0 ** rng.uniform(-2, 1)
    elif what == "constants":
        k = rng.randrange(len(data["constants"]))
        data["constants"][k] = str(
            Fraction(data["constants"][k]) + rng.choice([-1, 1]) * Fraction(1, 2 ** rng.randrange(0, 50))
        )
    else:
        k = rng.randrange(len(data["lines"]))
        data["lines"][k][1] = (data["lines"][k][1] + 1) % 3
    return what, data


@pytest.mark.parametrize("part", range(4))
def test_a_certificate_that_was_changed_is_refused(stated, part):
    check(json.loads(json.dumps(stated)))
    rng, accepted = random.Random(part), []
    for _ in range(250):
        what, data = disturbed(stated, rng)
        if data == stated:
            continue
        try:
            check(data)
            accepted.append(what)
        except NotProved:
            pass
    assert not accepted


def test_a_certificate_of_another_system_or_start_is_refused(stated):
    other = da.System(da.angle("th"), "vth^2/2 + 9.8*cos(th)")
    for equations, start in ((da.free(other), {"th": 1.1, "vth": 0.3}), (da.free(SWING), {"th": 1.1, "vth": 0.30001})):
        another = da.prove(equations, start, until=1, digits=6).certificate
        for part in ("start", "constants"):
            if another[part] != stated[part]:
                with pytest.raises(NotProved):
                    check({**stated, part: another[part]})


def test_the_command_says_what_is_proved_and_what_is_not(stated, tmp_path, capsys):
    from dalembert.apps.cli import main

    file = tmp_path / "swing.proof"
    for data, code, said in (
        (stated, 0, "proved: Pendulum, free, from t = 0 to 1"),
        ({**stated, "constants": ["1"] * len(stated["constants"])}, 1, "not proved: "),
    ):
        file.write_text(json.dumps(data), encoding="utf-8")
        with pytest.raises(SystemExit) as stop:
            main(["verify", str(file)])
        assert stop.value.code == code
        assert said in capsys.readouterr().out.replace("\n", " ")


def test_the_checker_stands_alone():
    lines = Path(certificate.__file__).read_text(encoding="utf-8")
    assert "from ." not in lines
    assert lines.count("\n") <= 300


# --- laws that are broken are seen -----------------------------------------------------------------------------------


def true_at_the_end(proof, start):
    return holds(proof.at(2)["th"], swing(start, "2"))


def test_a_remainder_that_is_left_out_is_seen(monkeypatch):
    start = {"th": 1, "vth": 0.5}
    assert true_at_the_end(da.prove(da.free(SWING), start, until=2, digits=8), start)
    monkeypatch.setattr(certificate, "bound", lambda p: certificate.exact("1/10") ** 40)
    assert not true_at_the_end(da.prove(da.free(SWING), start, until=2, digits=8), start)


def test_rounding_that_is_not_outwards_is_seen(monkeypatch):
    """With numbers of 20 bits a product is still inside, but not where it is cut to its middle."""

    def square():
        with certificate.working(20, 0):
            third = certificate.arb_poly([certificate.exact("1/3")])
            return certificate.Bands(0).times(third, third)[0].contains(certificate.fmpq(1, 9))

    assert square()
    monkeypatch.setattr(certificate.Bands, "times", lambda self, a, b: certificate.arb_poly([(a * b)[0].mid()]))
    assert not square()


def test_a_length_that_is_assumed_is_seen(monkeypatch):
    """A quaternion of doubles is not as long as 1: its start has to be solved for, not taken as it is."""
    turned = dict(zip("wxyz", (math.cos(0.35), *(math.sin(0.35) * n / 3 for n in (1, 2, 2))), strict=True))
    start = {"x": 1, "y": 0, "vx": 0.1, "vy": 0.2, "w3": 0.3, "R": turned}

    def within():
        at = da.prove(da.nonholonomic(ball_on_turntable.system()), start, until=1).at(1)
        ends = [[abs(end) for end in (at[f"R_{c}"].lower, at[f"R_{c}"].upper)] for c in "wxyz"]
        low, high = (sum(which(pair) ** 2 for pair in ends) for which in (min, max))
        return low <= 1 <= high

    assert within()
    monkeypatch.setattr(differential_equations, "_independent", as_given)
    assert not within()


def as_given(rows, names, values, follows):
    """The lengths of quaternions are left out of what a start is solved for."""
    kept = [row for row in rows if not {"R_w"} & symbols([row])]
    return INDEPENDENT(kept, names, values, follows)


INDEPENDENT = differential_equations._independent
