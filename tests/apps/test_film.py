"""Films: every picture is there, the bodies stand where the motion has them, and what cannot be filmed is refused."""

import numpy as np
import pytest

import dalembert as da
from dalembert.apps.film.cast import actor
from dalembert.apps.film.shapes import faces

Image = pytest.importorskip("PIL.Image")
pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def path():
    q = da.coordinates("x y theta")
    L = "(vx^2 + vy^2 + vtheta^2)/2"
    system = da.System(q, L, {"blade": "vy*cos(theta) - vx*sin(theta)"})
    equations = da.nonholonomic(system)
    return da.simulate(equations, equations.start(x=0, y=0, theta=0, vx=1, vtheta=1), until=1.0)


@pytest.mark.parametrize("shape", ["ball", "ellipsoid", "box", "disc", "rod", "cone"])
def test_faces_close_up_around_the_shape(shape):
    quads, marked = faces(shape)
    assert len(marked) == len(quads)
    # vector area of a closed surface is 0, its volume that of the body
    area = np.cross(quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1]) / 2
    np.testing.assert_allclose(area.sum(0), 0, atol=1e-12)
    assert np.abs(quads).max() == pytest.approx(1.0)
    middle = quads.mean(1) - (np.array([0, 0, -0.5]) if shape == "cone" else 0)
    outward = np.sign(np.einsum("fi,fi->f", area, middle))
    assert abs(outward[np.abs(area).max(1) > 1e-12].sum()) == (np.abs(area).max(1) > 1e-12).sum()


def test_the_bodies_stand_where_the_motion_has_them(path):
    times = np.linspace(0, 1.5, 7)
    found = actor("nonholonomic", path, path.system, times)
    box = found.shapes.index("box")
    at = path.at(np.minimum(times, 1.0))
    np.testing.assert_allclose(found.frames[:, box, 0, 3], at["x"])
    np.testing.assert_allclose(found.frames[:, box, 1, 0], np.sin(at["theta"]), atol=1e-14)
    assert found.last == 4


def test_a_film_has_all_its_pictures_and_is_replaced(path, tmp_path):
    for _ in range(2):
        da.film(path, tmp_path / "skate.gif", fps=4, seconds=1.5)
    with Image.open(tmp_path / "skate.gif") as film:
        assert film.n_frames == 6 and film.info["duration"] == 250
        first = film.convert("RGB").tobytes()
        film.seek(5)
        assert film.convert("RGB").tobytes() != first
    da.film(path, tmp_path / "skate.png")


@pytest.mark.parametrize(
    ("file", "options", "code"),
    [
        ("a.txt", {}, "E307"),
        ("a", {}, "E307"),
        ("", {}, "E501"),
        ("a.gif", {"fps": 0}, "E307"),
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


def test_a_file_of_somebody_else_and_what_has_no_bodies_are_refused(path, tmp_path):
    (tmp_path / "mine.gif").write_text("mine")
    with pytest.raises(da.DalembertError, match="E530"):
        da.film(path, tmp_path / "mine.gif")
    q = da.coordinates("s")
    bare = da.free(da.System(q, q["vs"] ** 2 / 2))
    for thing in (path[:0], 3, da.simulate(bare, bare.start(s=0, vs=1), until=1)):
        with pytest.raises(da.DalembertError, match="E307"):
            da.film(thing, tmp_path / "a.gif")
    path.save(tmp_path / "a.npz")
    with pytest.raises(da.DalembertError, match="does not know its bodies"):
        da.film(da.load(tmp_path / "a.npz"), tmp_path / "a.gif")
    da.film(da.load(tmp_path / "a.npz"), tmp_path / "a.png", system=path.system)
