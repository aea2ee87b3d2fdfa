"""``dalembert fit``: from a file and a track to values, used as a person would; tracks are simulated, with seeds."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

import dalembert as da
from begun import telling, until
from dalembert.apps.cli import main
from dalembert.apps.process import CONFINED
from dalembert.study import read_source

SPRING = """schema = 1
title = "Spring"
[space]
coordinates = { x = "line" }
[units]
x = "m"
[parameters]
m = { value = "1 kg", sign = "positive" }
k = { value = "3 N/m", sign = "positive" }
[lagrangian]
L = "m/2*dot(x)^2 - k/2*x^2"
[[force]]
name = "air"
velocity = ["dot(x)"]
force = ["-b*dot(x)"]
[[run]]
name = "let go"
principle = "free"
start = { x = "0.8 m", "dot(x)" = 0 }
until = 5
rtol = 1e-8
"""
SPRING = SPRING.replace("k = { value", 'b = "0.1 kg/s"\nk = { value')
FIT = """
[[fit]]
name = "spring"
principles = ["free"]
free = ["x", "k"]
start = { x = "0.8 m", "dot(x)" = 0 }
parameters = { b = 0 }
uncertainty = { x = "1 mm" }
"""
NOISE = 1e-3  # m
doubted = pytest.mark.filterwarnings("default::dalembert.DalembertWarning")  # a doubt is part of the answer


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    """Work in this process and in a folder of its own."""
    monkeypatch.setenv(CONFINED, str(tmp_path / "phase"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spring.toml").write_text(SPRING)
    (tmp_path / "fit.toml").write_text(SPRING + FIT)
    write("track.csv", "t [s],x [cm]", 100 * track(seed=7))


def track(seed, k=4.0, a=1.0, n=101):
    """x = a cos(sqrt(k/m) t) at n times of 0 to 5 s, with noise of 1 mm."""
    t = times(n)
    return a * np.cos(np.sqrt(k) * t) + NOISE * np.random.default_rng(seed).normal(size=n)


def times(n=101):
    return np.linspace(0, 5, n)


def write(name, heading, *columns):
    rows = np.column_stack([times(len(columns[0])), *columns])
    with open(name, "w") as stream:
        stream.write(heading + "\n" + "\n".join(",".join(f"{v:.9g}" for v in row) for row in rows) + "\n")


def call(*words):
    """Exit code, stdout, stderr."""
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


def fitted(*words, code=0):
    """The one fit as data."""
    found, out, err = call("fit", *words, "--json")
    assert found == code, (out, err)
    return json.loads(out)["fits"][0]


def refused(*words, code=2):
    """Its first problem."""
    found, out, err = call("fit", *words, "--json")
    assert found == code, (out, err)
    return json.loads(out)["problems"][0]


# --- what it finds ---------------------------------------------------------------------------------------------------


def test_a_fit_of_the_file_finds_what_made_the_track():
    data = fitted("fit.toml", "track.csv")
    for name, true in (("x", 1.0), ("k", 4.0)):
        assert abs(data["values"][name] - true) < 4 * data["sigma"][name]
        low, high = data["intervals"][name]
        assert low < data["values"][name] < high
    # of least squares: sigma_x >= sigma/sqrt(n/2), the bound of Cramer and Rao of an amplitude alone
    assert NOISE / np.sqrt(101 / 2) * 0.9 < data["sigma"]["x"] < NOISE
    assert data["adequate"] and data["dof"] == 99 and 60 < data["chi2"] < 150
    assert data["units"] == {"x": "m", "k": "kg/s**2"}
    assert data["residuals"]["x"]["rms_over_noise"] == pytest.approx(1, abs=0.25)
    assert data["aic"] < data["bic"] and data["undecided"] == []
    covariance = np.array(data["covariance"])
    assert np.allclose(np.sqrt(np.diag(covariance)), [data["sigma"]["x"], data["sigma"]["k"]])


def test_the_answer_says_what_is_decided():
    code, out, err = call("fit", "fit.toml", "track.csv")
    assert code == 0 and max(map(len, out.splitlines())) <= 80
    assert "units        x in m, k in kg/s**2" in out and "decided" in out and "undecided" not in out
    assert err == ""


def test_without_a_fit_the_options_say_what_is_sought():
    told = call("fit", "spring.toml", "track.csv", "--free", "x k", "b=0", "--uncertainty", "x=1mm")
    assert told[0] == 0 and "the guess is the start of let go" in told[2]
    mine = fitted("spring.toml", "track.csv", "--free", "x, k", "b=0", "--uncertainty", "x=1mm")
    assert mine["values"] == pytest.approx(fitted("fit.toml", "track.csv")["values"], rel=1e-6)


def test_options_go_over_the_file():
    data = fitted("fit.toml", "track.csv", "--free", "k x dot(x)", "--bound", "k=3.5,-", "k=5", "--loss", "huber")
    assert list(data["values"]) == ["k", "x", "vx"] and data["loss"] == "huber"
    assert data["values"]["k"] == pytest.approx(4, abs=0.01)


def test_a_start_value_is_replaced_under_each_of_its_names():
    """The file says "dot(x)", the command vx: one value, not two."""
    for name in ("vx", "dot(x)"):
        data = fitted("fit.toml", "track.csv", "--free", "x k vx", f"{name}=0.3 m/s")
        assert abs(data["values"]["vx"]) < 4 * data["sigma"]["vx"]


def test_bounds_of_the_file_are_for_what_is_free():
    with open("fit.toml", "a") as stream:
        stream.write("bounds = { k = [1, 5] }\n")
    assert list(fitted("fit.toml", "track.csv")["values"]) == ["x", "k"]
    assert list(fitted("fit.toml", "track.csv", "--free", "x", "k=4")["values"]) == ["x"]
    problem = refused("fit.toml", "track.csv", "--free", "x", "--bound", "k=1,5")
    assert problem["code"] == "E553"


@doubted
def test_a_bound_that_is_met_is_said():
    data = fitted("fit.toml", "track.csv", "--bound", "k=2,3.5")
    assert data["at_bound"] == ["k"] and data["adequate"] is False
    assert any("k stands at its bound" in line for line in data["undecided"])


@doubted
def test_a_wrong_model_is_called_wrong():
    """A spring that does not swing: the amplitude alone cannot describe the track."""
    data = fitted("fit.toml", "track.csv", "--free", "x")
    assert data["adequate"] is False and any("does not describe" in line for line in data["decided"])


def test_without_a_stated_noise_the_model_is_not_judged():
    data = fitted("spring.toml", "track.csv", "--free", "x k", "b=0")
    assert data["adequate"] is None and data["noise"]["x"] == pytest.approx(NOISE, rel=0.3)
    assert any("--uncertainty" in line for line in data["undecided"])


@doubted
def test_what_the_data_do_not_see_is_said():
    """k and m alone do not matter, k/m does."""
    data = fitted("fit.toml", "track.csv", "--free", "x k m")
    assert {name for each in data["unseen"] for name in each["names"]} == {"k", "m"}
    assert set(data["intervals"]) == {"x"}


def test_a_prior_decides_what_the_data_do_not():
    data = fitted("fit.toml", "track.csv", "--free", "x k m", "--prior", "m=2kg,0.02kg")
    assert data["values"]["k"] == pytest.approx(8, rel=0.01) and data["sigma"]["m"] == pytest.approx(0.02, rel=0.01)
    assert any(line.startswith("m: the data add nothing") for line in data["undecided"])


def test_parameters_that_follow_from_a_free_one_follow_in_the_fit():
    """k = c^2 in the file: c is found as sqrt(4)."""
    text = SPRING.replace('k = { value = "3 N/m", sign = "positive" }', 'c = 1.8\nk = "c^2"').replace('"1 kg"', "1")
    with open("follow.toml", "w") as stream:
        stream.write(text.replace('b = "0.1 kg/s"', "b = 0"))
    data = fitted("follow.toml", "track.csv", "--free", "x c", "--uncertainty", "x=1mm")
    assert abs(data["values"]["c"] - 2) < 4 * data["sigma"]["c"] and data["adequate"]


@doubted
def test_columns_of_a_camera():
    """px = 500 x + 320, in pixels."""
    write("pixels.csv", "t,px", 500 * track(seed=8) + 320)
    words = ("--column", "px=s*x + x0", "s=500", "x0=300", "--free", "k x0 s", "x=1", "--uncertainty", "px=0.5")
    data = fitted("spring.toml", "pixels.csv", *words, "b=0")
    for name, true in (("k", 4.0), ("x0", 320.0), ("s", 500.0)):
        assert abs(data["values"][name] - true) < 4 * data["sigma"][name]


def test_the_track_is_read_as_asked():
    write("odd.csv", "time,u", 1000 * track(seed=9))
    told = fitted("spring.toml", "odd.csv", "--free", "x k", "b=0", "--read", "columns.u=x", "--read", "units.x=mm")
    assert told["values"]["x"] == pytest.approx(1, abs=0.01)


def test_units_that_only_one_side_knows_are_said_once():
    write("bare.csv", "t,x", track(seed=9))
    code, _, err = call("fit", "fit.toml", "bare.csv")
    assert code == 0 and err.count("x in m, t in s") == 1


def test_a_figure_is_drawn():
    code, out, _ = call("fit", "fit.toml", "track.csv", "--figure", "figures/fit.svg")
    assert code == 0 and "written figures/fit.svg" in out and os.path.getsize("figures/fit.svg") > 5000


@pytest.mark.parametrize("name", ["f.xyz", "f", ".svg", "f.html", "f.svg.gz"])
def test_a_figure_of_no_form_is_refused_before_any_work(name, monkeypatch):
    def no_work(*_):
        raise AssertionError("the file was read")

    monkeypatch.setattr("dalembert.study.read", no_work)
    code, out, err = call("fit", "fit.toml", "track.csv", "--figure", name)
    assert code == 2 and not out and err.startswith("E307") and "pdf" in err and "svg" in err and "do: --figure" in err
    assert not os.path.exists(name)


@pytest.mark.parametrize("ending", ["png", "pdf", "SVG"])
def test_a_figure_has_the_form_of_its_ending(ending):
    heads = {"png": b"\x89PNG", "pdf": b"%PDF", "SVG": b"<?xml"}
    assert call("fit", "fit.toml", "track.csv", "--figure", f"fit.{ending}")[0] == 0
    with open(f"fit.{ending}", "rb") as stream:
        assert stream.read(5).startswith(heads[ending])


def test_a_page_holds_values_verdict_and_command():
    words = ("fit.toml", "track.csv", "--free", "x k m", "--prior", "m=1kg,0.1kg", "--report", "pages/fit.html")
    assert call("fit", *words)[0] == 0
    with open("pages/fit.html") as stream:
        page = stream.read()
    assert "the data add nothing" in page and "dalembert fit fit.toml track.csv" in page and "track.csv" in page
    assert page.count("<figure>") == 2 and "<script" not in page and "http-equiv" in page
    value = fitted(*words[:-2])["values"]["x"]
    assert f'<data value="{value!r}">' in page


@doubted
def test_several_fits_are_all_made_or_the_one_that_is_named():
    with open("fit.toml", "a") as stream:
        stream.write(FIT.replace('"spring"', '"other"').replace('"x", "k"', '"x"'))
    code, out, _ = call("fit", "fit.toml", "track.csv", "--json")
    assert code == 0 and [each["name"] for each in json.loads(out)["fits"]] == ["spring", "other"]
    assert fitted("fit.toml", "track.csv", "--name", "other")["name"] == "other"


# --- several models --------------------------------------------------------------------------------------------------

SLEIGH = """schema = 1
[space]
coordinates = { x = "line", y = "line", theta = "angle" }
[units]
x = "m"
y = "m"
[parameters]
m = "1 kg"
J = "0.5 kg*m^2"
a = "30 cm"
[lagrangian]
L = "m/2*((dot(x) - a*dot(theta)*sin(theta))^2 + (dot(y) + a*dot(theta)*cos(theta))^2) + J/2*dot(theta)^2"
[[constraint]]
name = "blade"
phi = "dot(y)*cos(theta) - dot(x)*sin(theta)"
[[fit]]
name = "which"
principles = ["nonholonomic", "vakonomic", "free"]
free = ["dot(x)", "dot(theta)"]
start = { x = 0, y = 0, theta = 0.3, "dot(x)" = 0.9, "dot(theta)" = 0.5 }
uncertainty = { x = "1 mm", y = "1 mm" }
rtol = 1e-8
"""


def sledge_track(seed):
    """A simulated run of the blade, vx = 1, omega = 0.6, with noise of 1 mm."""
    system = da.nonholonomic(read_source(SLEIGH).system)
    path = da.simulate(system, system.start(x=0, y=0, theta=0.3, vx=1, vtheta=0.6), until=5)
    noise = NOISE * np.random.default_rng(seed).normal(size=(2, 101))
    return [path.at(times())[name] + noise[i] for i, name in enumerate("xy")]


@doubted
def test_principles_are_ranked_and_the_wrong_ones_rejected():
    with open("sleigh.toml", "w") as stream:
        stream.write(SLEIGH)
    write("sleigh.csv", "t [s],x [m],y [m]", *sledge_track(seed=3))
    data = fitted("sleigh.toml", "sleigh.csv")
    assert data["kind"] == "ranking" and data["decided"] and data["remaining"] == ["nonholonomic"]
    assert set(data["rejected"]) == {"vakonomic", "free"} and data["verdict"]
    assert call("fit", "sleigh.toml", "sleigh.csv", "--report", "which.html", "--figure", "which.svg")[0] == 0
    with open("which.html") as stream:
        page = stream.read()
    assert all(f"{label}: {word}" in page for label, word in (("nonholonomic", "remains"), ("vakonomic", "rejected")))
    assert os.path.getsize("which.svg") > 5000
    best = data["candidates"][0]["fit"]
    for name, true in (("vx", 1.0), ("vtheta", 0.6)):
        assert abs(best["values"][name] - true) < 4 * best["sigma"][name]


@doubted
def test_laws_are_ranked():
    """A track with drag 0.3: no law is rejected, the drag is found."""
    t = times()
    w = np.sqrt(4 - 0.15**2)  # x'' + 0.3 x' + 4 x = 0, x(0) = 1, x'(0) = 0
    x = np.exp(-0.15 * t) * (np.cos(w * t) + 0.15 / w * np.sin(w * t))
    write("drag.csv", "t [s],x [m]", x + NOISE * np.random.default_rng(5).normal(size=101))
    laws = ("--law", "none=", "--law", "drag=air", "--free", "x k b", "b=0.1")
    data = fitted("fit.toml", "drag.csv", *laws)
    assert data["remaining"] == ["free, drag"] or data["remaining"] == ["drag"]
    best = data["candidates"][0]["fit"]
    assert abs(best["values"]["b"] - 0.3) < 4 * best["sigma"]["b"]
    one = fitted("fit.toml", "drag.csv", "--law", "drag=air", "--free", "x k b", "b=0.1")
    assert one["kind"] == "fit" and one["values"]["b"] == pytest.approx(best["values"]["b"], rel=1e-4)


def test_a_ranking_with_a_loss_is_refused():
    problem = refused("spring.toml", "track.csv", "--free", "x", "--law", "a=", "--law", "b=air", "--loss", "huber")
    assert problem["code"] == "E559"


# --- what is wrong ---------------------------------------------------------------------------------------------------

COMMANDS = [
    (("spring.toml", "track.csv"), "E307", "--free"),
    (("spring.toml", "track.csv", "--free", "x kk"), "E202", "k?"),
    (("spring.toml", "track.csv", "--free", "x x"), "E550", "once"),
    (("spring.toml", "track.csv", "--free", "x", "--start-from", "let it go"), "E307", "let go"),
    (("spring.toml", "track.csv", "--free", "x", "--principles", "fre"), "E308", "free"),
    (("spring.toml", "track.csv", "--free", "x", "--law", "drag=wind"), "E307", "air"),
    (("spring.toml", "track.csv", "--free", "x", "--bound", "k=1,2"), "E553", "x"),
    (("spring.toml", "track.csv", "--free", "k", "--bound", "k=2,1"), "E553", "--bound"),
    (("spring.toml", "track.csv", "--free", "k", "--bound", "k=2"), "E307", "--bound"),
    (("spring.toml", "track.csv", "--free", "k", "--bound", "k=2 kg,5 kg"), "E207", "kg"),
    (("spring.toml", "track.csv", "--free", "x", "--prior", "x=1,0"), "E553", "--prior"),
    (("spring.toml", "track.csv", "--free", "x", "--prior", "x"), "E307", "--prior"),
    (("spring.toml", "track.csv", "--free", "x", "--prior", "x=1 kg,1 kg"), "E207", "m"),
    (("spring.toml", "track.csv", "--free", "x", "--uncertainty", "y=1mm"), "E317", "x"),
    (("spring.toml", "track.csv", "--free", "x", "--uncertainty", "x=1kg"), "E207", "m"),
    (("spring.toml", "track.csv", "--free", "x", "--column", "px=x"), "E317", "x"),
    (("spring.toml", "track.csv", "--free", "x", "--column", "px"), "E317", "x"),
    (("spring.toml", "track.csv", "--free", "x", "--column", "x=s*x"), "E702", "=1"),
    (("spring.toml", "track.csv", "--free", "x s", "--column", "x=s*x"), "E201", "s=1"),
    (("spring.toml", "track.csv", "--free", "x", "--read", "gap=keep"), "E508", "gaps"),
    (("spring.toml", "track.csv", "--free", "x", "--read", "units.y=mm"), "E317", "x"),
    (("spring.toml", "track.csv", "--free", "x", "--starts", "0"), "E307", "starts"),
    (("spring.toml", "track.csv", "--free", "x", "q=2"), "E307", "k"),
    (("spring.toml", "nothere.csv", "--free", "x"), "E501", "check"),
    (("spring.toml", "-", "--free", "x"), "E510", "file"),
    (("fit.toml", "track.csv", "--name", "ball"), "E307", "spring"),
]


@pytest.mark.parametrize(("words", "code", "remedy"), COMMANDS)
def test_what_is_wrong_with_the_command(words, code, remedy):
    problem = refused(*words)
    assert problem["code"] == code and remedy in problem["remedy"], problem
    assert "where" not in problem


TRACKS = [
    ("t,x\n0,1\n", "E546", "longer"),
    ("t,x\n0,1\n1,two\n", "E542", "number"),
    ("t,x\n0,1\n1,\n2,3\n", "E543", "--read gaps="),
    ("t,x\n0,1\n2,1\n1,3\n", "E544", "--read sort=true"),
    ("t,x\n0,1\n1,1\n1,3\n", "E545", "leave out"),
    ("0,1\n1,1\n2,3\n", "E540", "--read columns="),
    ("t,x [kg]\n0,1\n1,1\n2,3\n", "E207", "heading"),
    ("t,x [foos]\n0,1\n1,1\n2,3\n", "E206", ""),
]


@pytest.mark.parametrize(("text", "code", "remedy"), TRACKS)
def test_what_is_wrong_with_the_track(text, code, remedy):
    with open("bad.csv", "w") as stream:
        stream.write(text)
    problem = refused("spring.toml", "bad.csv", "--free", "x", code=1)
    assert problem["code"] == code and remedy in problem["remedy"], problem


def test_a_track_of_something_else_is_no_track_of_this():
    write("other.csv", "t,u,v", track(seed=1), track(seed=2))
    problem = refused("spring.toml", "other.csv", "--free", "x")
    assert problem["code"] == "E549" and "--column" in problem["remedy"] and "u, v" in problem["detail"]


def test_more_unknowns_than_numbers():
    write("two.csv", "t,x", track(seed=1, n=2))
    assert refused("spring.toml", "two.csv", "--free", "x k vx")["code"] == "E552"


def test_a_problem_of_the_file_is_told_with_its_line():
    with open("fit.toml", "w") as stream:
        stream.write(SPRING + FIT.replace('["x", "k"]', '["x", "kk"]'))
    problem = refused("fit.toml", "track.csv", code=1)
    line = (SPRING + FIT).splitlines().index('free = ["x", "k"]') + 1
    assert problem["code"] == "E202" and problem["where"]["line"] == line


def test_an_error_of_the_fit_points_at_its_entry():
    with open("fit.toml", "w") as stream:
        stream.write(SPRING + FIT + 'columns = { px = "x" }\n'.replace("px", "y"))
    problem = refused("fit.toml", "track.csv", code=1)
    assert problem["code"] == "E317" and problem["where"]["text"].startswith("columns")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_not_waited_for():
    os.mkfifo("pipe.csv")
    assert refused("spring.toml", "pipe.csv", "--free", "x")["code"] == "E510"


# --- check -----------------------------------------------------------------------------------------------------------


def test_check_completes_the_guess_of_every_fit():
    code, out, err = call("check", "fit.toml")
    assert code == 0 and "start of fit spring (free): x = 0.8, vx = 0" in out, err


def test_check_finds_starts_and_units_that_do_not_fit():
    text = SPRING + FIT.replace('"dot(x)" = 0 }', "}").replace('"0.8 m", ', '"0.8 m"')
    text += FIT.replace('"spring"', '"two"') + 'bounds = { x = ["1 kg", "-"] }\n'
    with open("bad.toml", "w") as stream:
        stream.write(text.replace('x = ["1 kg"', 'x = ["0.1 kg"'))
    code, out, _ = call("check", "bad.toml", "--json")
    problems = json.loads(out)["problems"]
    assert code == 1 and {each["code"] for each in problems} == {"E230", "E207"}
    assert all(each["where"]["line"] > SPRING.count("\n") for each in problems)


# --- stopped, completed ----------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C of a group")
def test_ctrl_c_ends_it_in_words(here, monkeypatch, tmp_path):
    monkeypatch.delenv(CONFINED)
    # a shell that runs its jobs in the background has them ignore the signal
    script = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from dalembert.apps.cli import main; main(prog_name='dalembert')"
    )
    words = [sys.executable, "-c", script, "fit", "fit.toml", "track.csv", "--starts", "9999"]
    known, told = telling(tmp_path, "least_squares.py", "descend", 2)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, env=known, text=True, start_new_session=True, **pipes) as p:
        until(told, p)
        os.killpg(p.pid, signal.SIGINT)
        out, err = p.communicate()
    assert p.returncode == 4 and "interrupted" in err and "Traceback" not in out + err


def complete(*words):
    """What the shell would propose."""
    environment = {**os.environ, "_DALEMBERT_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(["dalembert", *words])}
    environment["COMP_CWORD"] = str(len(words))
    run = [sys.executable, "-c", "from dalembert.apps.cli import main; main(prog_name='dalembert')"]
    return subprocess.run(run, env=environment, capture_output=True, text=True, check=False).stdout.split()


def test_the_shell_proposes_fits_and_principles():
    assert complete("fit", "fit.toml", "track.csv", "--name", "sp") == ["plain,spring"]
    assert complete("fit", "nothere.toml", "track.csv", "--name", "sp") == []
    assert "plain,free,vakonomic" in complete("fit", "fit.toml", "track.csv", "--principles", "free,vak")
