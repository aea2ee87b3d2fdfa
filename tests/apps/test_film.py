"""Films: every picture is there, the bodies stand where the motion has them, and what cannot be filmed is refused."""

import dataclasses
import json
import os
import shutil
import subprocess
from collections import Counter
from contextlib import contextmanager

import numpy as np
import psutil
import pytest
from click.testing import CliRunner

import dalembert as da
from dalembert.apps.cli import main
from dalembert.apps.film import video_file
from dalembert.apps.film.picture import LIGHT, VIEW, _calm, actor, camera, clock, faces, floor, ground, shadow
from dalembert.apps.film.video_file import EDGE
from dalembert.comparison import Comparison
from dalembert.errors.interfaces import COMMAND
from dalembert.errors.remedies import Option
from dalembert.systems import ball_on_turntable as ball
from dalembert.systems import knife_edge_on_incline

Image = pytest.importorskip("PIL.Image")
pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def path():
    q = da.coordinates("x y theta")
    L = "(vx^2 + vy^2 + vtheta^2)/2"
    system = da.System(q, L, {"blade": "vy*cos(theta) - vx*sin(theta)"})
    equations = da.nonholonomic(system)
    return da.simulate(equations, equations.start(x=0, y=0, theta=0, vx=1, vtheta=1), until=1.0)


@pytest.mark.parametrize(
    ("shape", "volume"),
    [
        ("ball", 4 * np.pi / 3),
        ("ellipsoid", 4 * np.pi / 3),
        ("box", 8.0),
        ("disc", 2 * np.pi),
        ("table", 2 * np.pi),
        ("rod", 2 * np.pi),
        ("cone", 2 * np.pi / 3),
    ],
)
def test_faces_close_up_around_the_shape(shape, volume):
    quads, marked = faces(shape)
    assert len(marked) == len(quads)
    # each edge belongs to two faces, which run along it in opposite ways
    ends = np.stack([quads, np.roll(quads, -1, axis=1)], 2).round(9).reshape(-1, 6) + 0.0
    edges = Counter(tuple(e) for e in ends.tolist() if e[:3] != e[3:])
    assert all(edges[(*e[3:], *e[:3])] == count for e, count in edges.items())
    # V = 1/3 sum a.(b x c) over the outward triangles; round shapes are inscribed
    found = sum(np.linalg.det(quads[:, [0, k, k + 1]]).sum() for k in (1, 2)) / 6
    assert found == pytest.approx(volume, rel=0.02) and found <= volume + 1e-12


def test_the_bodies_stand_where_the_motion_has_them(path):
    times = np.linspace(0, 1.5, 7)
    found = actor("nonholonomic", path, path.system, times)
    box = found.shapes.index("box")
    at = path.at(np.minimum(times, 1.0))
    np.testing.assert_allclose(found.frames[:, box, 0, 3], at["x"])
    np.testing.assert_allclose(found.frames[:, box, 1, 0], np.sin(at["theta"]), atol=1e-14)
    assert found.last == 4


def test_a_film_has_all_its_pictures_and_something_moves(path, tmp_path):
    da.film(path, tmp_path / "skate.gif", fps=4, seconds=1.5)
    with Image.open(tmp_path / "skate.gif") as film:
        assert film.n_frames == 6 and film.info["duration"] == 250
        first = film.convert("RGB")
        film.seek(5)
        last = film.convert("RGB")
    assert last.tobytes() != first.tobytes()
    assert last.getpixel((2, 2)) == first.getpixel((2, 2))  # what stands still keeps its colour


def test_a_colour_that_stays_is_the_same_in_all_pictures(tmp_path):
    # a set of colours for each picture would let what stands still flicker
    noise = np.random.default_rng(0)
    y, x = np.mgrid[:60, :20]
    shaded = np.stack([120 + 2 * y, 100 + 3 * x + y, 200 - 2 * x], -1).astype(np.uint8)  # more tones than a GIF has
    pictures = []
    for k in range(5):
        points = noise.integers(0, 80 + 40 * k, (60, 80, 3), np.uint8)
        points[:, :20] = shaded
        pictures.append(Image.fromarray(points))
    video_file._gif(iter(pictures), tmp_path / "a.gif", 10.0)
    with Image.open(tmp_path / "a.gif") as film:
        assert film.n_frames == 5
        seen = set()
        for k in range(5):
            film.seek(k)
            seen.add(film.convert("RGB").crop((0, 0, 20, 60)).tobytes())
    assert len(seen) == 1


@pytest.mark.parametrize("fps", [7, 30, 50])
def test_a_film_lasts_as_long_as_it_should(path, tmp_path, fps):
    # a GIF counts in hundredths of a second: rounded one by one, 30 pictures a second would be 33
    da.film(path, tmp_path / "skate.gif", fps=fps, seconds=1.0)
    with Image.open(tmp_path / "skate.gif") as film:
        lasts = 0
        for k in range(film.n_frames):
            film.seek(k)
            lasts += film.info["duration"]
    assert lasts == 1000


def test_a_strip_has_six_stills_side_by_side(path, tmp_path):
    da.film(path, tmp_path / "skate.png", seconds=2)
    with Image.open(tmp_path / "skate.png") as strip:
        assert strip.size == (3 * 480 + 2 * EDGE, 2 * 360 + EDGE)
        stills = {strip.crop((x, y, x + 480, y + 360)).tobytes() for x in (0, 483, 966) for y in (0, 363)}
    assert len(stills) == 6


@pytest.mark.parametrize("ending", ["gif", "png", "mp4"])
def test_a_film_is_replaced_and_what_was_changed_is_not(path, tmp_path, ending):
    if ending == "mp4" and shutil.which("ffmpeg") is None:
        pytest.skip("needs ffmpeg")
    file = tmp_path / f"skate.{ending}"
    for _ in range(2):
        da.film(path, file, fps=4, seconds=1.5)
    with file.open("ab") as stream:
        stream.write(b"mine")
    with pytest.raises(da.DalembertError, match="E530"):
        da.film(path, file, fps=4, seconds=1.5)


@pytest.mark.skipif(shutil.which("ffprobe") is None, reason="needs ffprobe")
def test_a_film_in_mp4_has_all_its_pictures(path, tmp_path):
    da.film(path, tmp_path / "skate.mp4", fps=4, seconds=1.5)
    asked = ["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames,width,height,duration"]
    told = subprocess.run([*asked, "-of", "json", tmp_path / "skate.mp4"], capture_output=True, check=True)
    (stream,) = json.loads(told.stdout)["streams"]
    assert (stream["nb_read_frames"], stream["width"], stream["height"]) == ("6", 480, 360)
    assert float(stream["duration"]) == pytest.approx(1.5)
    assert not told.stderr
    # boxes, each with its length, up to the end of the file
    content, at = (tmp_path / "skate.mp4").read_bytes(), 0
    while at < len(content):
        at += int.from_bytes(content[at : at + 4], "big")
    assert at == len(content)


@pytest.mark.skipif(os.name != "posix", reason="a program of sh")
@pytest.mark.parametrize("gives_up", ["exit 3", "cat > /dev/null; exit 3"])
def test_ffmpeg_that_is_missing_or_gives_up_is_told(path, tmp_path, monkeypatch, gives_up):
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/bin{os.pathsep}/usr/bin")
    monkeypatch.setattr(video_file, "which", lambda name: None)
    with pytest.raises(da.DalembertError, match="ffmpeg, which is not found") as refused:
        da.film(path, tmp_path / "a.mp4")
    assert refused.value.code == "E801"
    monkeypatch.undo()
    (tmp_path / "bin" / "ffmpeg").write_text(f"#!/bin/sh\n{gives_up}\n")
    (tmp_path / "bin" / "ffmpeg").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/bin{os.pathsep}/usr/bin")
    with pytest.raises(da.DalembertError, match="did not write") as refused:
        da.film(path, tmp_path / "a.mp4")
    assert refused.value.code == "E801" and [p.name for p in tmp_path.iterdir()] == ["bin"]


@pytest.mark.parametrize("ending", ["gif", "png"])
def test_every_picture_is_a_step_of_the_bar(path, tmp_path, monkeypatch, ending):
    told = []

    @contextmanager
    def bar(total, shown, what):
        told.append([total, shown, 0])
        yield lambda: told[-1].__setitem__(2, told[-1][2] + 1)

    monkeypatch.setattr(video_file, "bar", bar)
    da.film(path, tmp_path / f"a.{ending}", fps=3, seconds=2, progress=True)
    da.film(path, tmp_path / f"a.{ending}", fps=3, seconds=2)
    assert told == [[6, True, 6], [6, False, 6]]


def test_the_command_films_a_system_of_the_gallery(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["film", "rolling_disc", "--trust", "--until", "0.5", "--length", "1", "--fps", "4"]
    for more, file in (
        ([], "rolling_disc.gif"),
        (["--out", "b.gif", "--follow"], "b.gif"),
        (["--still"], "rolling_disc.gif"),
    ):
        done = CliRunner().invoke(main, [*words, *more])
        assert done.exit_code == 0 and done.output.split() == ["written", file]
        with Image.open(file) as film:
            assert film.n_frames == 4
    with Image.open("b.gif") as along, Image.open("rolling_disc.gif") as still:
        assert along.convert("RGB").tobytes() != still.convert("RGB").tobytes()
    refused = CliRunner().invoke(main, [*words, "--out", "b.txt"])
    assert refused.exit_code == 2 and "do: --out b.gif\n" in refused.output


def test_the_command_films_the_entry_that_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    begun = 'start = { x = 0, y = 0, theta = 0.3, "dot(x)" = 0.8, "dot(theta)" = 0.7'
    text = """
schema = 1
[space]
coordinates = { x = "line", y = "line", theta = "angle" }
[lagrangian]
L = "(dot(x)^2 + dot(y)^2 + dot(theta)^2)/2"
[[constraint]]
name = "blade"
phi = "dot(x)*sin(theta) - dot(y)*cos(theta)"
"""
    for kind, name in (("run", "slow"), ("run", "fast"), ("compare", "both")):
        principle = 'principle = "nonholonomic"' if kind == "run" else 'principles = ["nonholonomic", "vakonomic"]'
        more = ", lam_blade = 0" if kind == "compare" else ""
        text += f'[[{kind}]]\nname = "{name}"\n{principle}\n{begun}{more} }}\nuntil = 1\n'
    (tmp_path / "sleigh.toml").write_text(text)
    filmed = []
    monkeypatch.setattr("dalembert.apps.film.made", lambda thing, *_, **__: filmed.append(thing))
    for words, told in (
        ([], "nonholonomic vakonomic"),
        (["--compare", "both"], "nonholonomic vakonomic"),
        (["--run", "fast"], "fast nonholonomic"),
        (["--principle", "gauss"], "slow gauss"),
        (["--run", "fast", "--principle", "vakonomic", "lam_blade=0"], "fast vakonomic"),
    ):
        done = CliRunner().invoke(main, ["film", "sleigh.toml", "--trust", *words])
        assert done.exit_code == 0, done.output
        found = filmed[-1]
        if isinstance(found, Comparison):
            assert " ".join(found.principles) == told
        else:
            assert f"{found.provenance['run']} {found.provenance['principle']}" == told
    for words in (["--run", "quick"], ["--compare", "slow"], ["--run", "fast", "--compare", "both"]):
        done = CliRunner().invoke(main, ["film", "sleigh.toml", "--trust", *words])
        assert done.exit_code == 2 and "E307" in done.output

    def refused(*_, **__):
        raise da.DalembertError("E307", "a GIF has at most 50 pictures", Option("film.fps", 50))

    monkeypatch.setattr("dalembert.apps.film.made", refused)
    assert "do: --fps 50\n" in CliRunner().invoke(main, ["film", "sleigh.toml", "--trust"]).output


# --- what is seen ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def balls():
    """Two balls that part: they leave the table far behind."""
    start = {**ball.START, "w3": 0, "lam_roll_x": 10, "lam_roll_y": 0}
    both = da.compare(ball.system(), ["nonholonomic", "vakonomic"], start=start, until=3.0)
    times = np.linspace(0, 3, 61)
    return [actor(name, p, p.system, times) for name, p in zip(both.principles, both.paths, strict=True)]


@pytest.mark.parametrize("follow", [None, True, False])
def test_every_moving_body_is_in_every_picture(balls, follow):
    seen = camera(balls, 4 / 3, follow)
    for each in balls:
        k = each.shapes.index("ball")
        at, r = each.frames[:, k, :, 3] @ VIEW[:2].T, each.sizes[:, k, 0]
        off = np.abs(at - seen.middle) + r[:, None]
        assert (off[:, 0] <= 4 / 3 * seen.half).all() and (off[:, 1] <= seen.half).all()
    assert (np.ptp(seen.half) == 0) == (follow is False)
    # while they are together they are large
    assert follow is False or seen.half[0] < np.max(seen.half) / 5


def test_a_calm_window_holds_all_that_it_has_to():
    half = np.exp(np.random.default_rng(0).normal(size=200).cumsum() / 3)
    for n in (1, 2, 7, 200):
        calm = _calm(half[:n])
        assert (calm >= half[:n] * (1 - 1e-12)).all() and len(calm) == n
    assert np.abs(np.diff(np.log(calm))).max() < np.abs(np.diff(np.log(half))).max() / 2


def test_the_camera_goes_along_only_where_bodies_would_be_specks(path):
    short, times = actor("a", path, path.system, np.linspace(0, 1, 11)), np.linspace(0, 1, 11)
    assert not np.ptp(camera([short], 4 / 3, None).middle, axis=0).any()
    equations = da.nonholonomic(path.system)
    long = da.simulate(equations, equations.start(x=0, y=0, theta=0, vx=100, vtheta=0), until=1.0)
    seen = camera([actor("a", long, long.system, times)], 4 / 3, None)
    assert np.ptp(seen.middle, axis=0).max() > 10 * seen.half.max()


def test_lines_have_the_length_of_the_way_however_few_the_pictures_are():
    # 40 turns of a circle, 6 pictures
    q = da.coordinates("x y theta")
    system = da.System(q, "(vx^2 + vy^2 + vtheta^2)/2", {"blade": "vy*cos(theta) - vx*sin(theta)"})
    equations = da.nonholonomic(system)
    turns = da.simulate(equations, equations.start(x=0, y=0, theta=0, vx=1, vtheta=80 * np.pi), until=1.0)
    found = actor("a", turns, system, np.linspace(0, 1, 6))
    (line,) = found.traces
    assert len(line) == len(found.moments)
    assert np.linalg.norm(np.diff(line, axis=0), axis=1).sum() == pytest.approx(1.0, rel=1e-2)


def test_floor_and_shadow_lie_on_a_slope():
    system = knife_edge_on_incline.system()
    equations = da.nonholonomic(system)
    run = da.simulate(equations, equations.start(**knife_edge_on_incline.START), until=1.0)
    found = actor("a", run, system, np.linspace(0, 1, 3))
    plane, a = floor(found, 1), system.parameters["alpha"]
    np.testing.assert_allclose(plane.axes[:, 2], (np.sin(a), 0, np.cos(a)))
    np.testing.assert_array_equal(ground(found, 1).axes, plane.axes)
    points = np.random.default_rng(0).normal(size=(5, 3))
    on = points - np.outer((points - plane.at) @ plane.axes[:, 2], plane.axes[:, 2])
    np.testing.assert_allclose(shadow(on, plane), on @ VIEW[:2].T)  # what lies on it is its own shadow
    np.testing.assert_allclose(shadow(points + 3.7 * LIGHT, plane), shadow(points, plane))  # along the light


@pytest.mark.parametrize("last", [3e-5, 0.01, 1.0, 10.0, 5000.0, 1e9])
def test_the_clock_has_the_digits_that_the_motion_needs(last):
    times = np.linspace(0, last, 21)
    told = clock(times)
    assert len(set(told)) == 21 and max(map(len, told)) < 16
    np.testing.assert_allclose([float(each.split()[2]) for each in told], times, atol=last / 100)


def test_a_title_that_looks_like_a_formula_is_written_as_it_is(path, tmp_path):
    told = dataclasses.replace(path, provenance={**path.provenance, "title": r"costs $\nothing or $5 " * 9})
    da.film(told, tmp_path / "a.png", system=path.system)


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "options", "code"),
    [
        ("a.txt", {}, "E307"),
        ("a", {}, "E307"),
        ("", {}, "E501"),
        (".gif", {}, "E307"),
        ("a.gif", {"fps": 0}, "E307"),
        ("a.gif", {"fps": 51}, "E307"),
        ("a.gif", {"seconds": 1e6}, "E307"),
        ("a.gif", {"fps": float("nan")}, "E307"),
        ("a.gif", {"fps": 1e9}, "E307"),
        ("a.gif", {"seconds": 1e300, "fps": 1e300}, "E307"),
        ("a.gif", {"seconds": "long"}, "E307"),
        ("a.gif", {"follow": 1}, "E307"),
        ("a.gif", {"system": 3}, "E307"),
    ],
)
def test_what_makes_no_film_is_refused(path, tmp_path, file, options, code):
    with pytest.raises(da.DalembertError, match=code):
        da.film(path, str(tmp_path / file) if file else file, **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("file", "options", "python", "typed"),
    [
        ("a.txt", {}, 'file="a.gif"', "--out a.gif"),
        ("a.gif", {"fps": 51}, "fps=50", "--fps 50"),
        ("a.gif", {"seconds": 1e6}, "seconds=100", "--length 100"),
        ("a.gif", {"seconds": 300}, "seconds=100 or fps=6", "--length 100 or --fps 6"),
        ("a.gif", {"fps": 1000}, "seconds=2 or fps=666", "--length 2 or --fps 666"),
    ],
)
def test_a_remedy_is_spelt_as_it_is_typed(path, tmp_path, monkeypatch, file, options, python, typed):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(da.DalembertError) as caught:
        da.film(path, file, **options)
    assert caught.value.remedy == python and caught.value.on(COMMAND).remedy == typed


@pytest.mark.skipif(os.name != "posix", reason="a program of sh")
def test_a_film_that_is_interrupted_takes_ffmpeg_along(tmp_path, monkeypatch):
    """It went on, and could make the draft anew that had been removed."""
    ffmpeg = tmp_path / "ffmpeg"
    ffmpeg.write_text("#!/bin/sh\nexec sleep 30\n")
    ffmpeg.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)

    def pictures():
        raise KeyboardInterrupt
        yield

    before = psutil.Process().children()
    with pytest.raises(KeyboardInterrupt):
        video_file._mp4(pictures(), tmp_path / "a.mp4", 10.0)
    assert psutil.Process().children() == before


def test_a_file_of_somebody_else_and_what_has_no_bodies_are_refused(path, tmp_path):
    (tmp_path / "mine.gif").write_text("mine")
    with pytest.raises(da.DalembertError, match="E530"):
        da.film(path, tmp_path / "mine.gif")
    q = da.coordinates("s")
    bare = da.free(da.System(q, q["vs"] ** 2 / 2))
    for thing in (path[:0], 3, da.simulate(bare, bare.start(s=0, vs=1), until=1)):
        with pytest.raises(da.DalembertError, match="E307"):
            da.film(thing, tmp_path / "a.gif")
    far = da.System(path.system.space, path.system.lagrangian, bodies=[da.Body("point", radius=1, at=("log(x)", 0, 0))])
    with pytest.raises(da.DalembertError, match="no finite place"):
        da.film(path, tmp_path / "a.gif", system=far)
    path.save(tmp_path / "a.npz")
    with pytest.raises(da.DalembertError, match="does not know its bodies"):
        da.film(da.load(tmp_path / "a.npz"), tmp_path / "a.gif")
    da.film(da.load(tmp_path / "a.npz"), tmp_path / "a.png", system=path.system)
