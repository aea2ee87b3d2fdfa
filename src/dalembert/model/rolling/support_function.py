"""The support function of a convex body: how far it reaches in a direction, and where it touches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields

import numpy as np
import sympy as sp

from ...calculus.from_sympy import read
from ...calculus.graph import Graph, evaluate
from ...errors import InvalidValue, as_given, warn
from ..bodies import Body
from ..expression_symbols import Reader
from ..space_factors import coordinates

NORMAL = coordinates("n1 n2 n3")

_N = sp.Matrix(NORMAL.coordinates)
_TRIES, _TOLERANCE = 12, 1e-9
_NORMALS = 500  # at which radii of curvature are looked at
_THICKNESS = sp.Rational(1, 8)  # of a wheel, by its radius: as it is drawn
_SHAPES = "ball, ellipsoid, disc, wheel"
EXAMPLE = (
    'da.Body("ball", radius=0.1), an equation, "x^2/a^2 + y^2/b^2 + z^2/c^2 - 1", '
    'or a support function, "sqrt(a^2*n1^2 + b^2*n2^2 + c^2*n3^2)"'
)


@dataclass(frozen=True)
class Support:
    """A convex surface by its support function h(n) + r |n| [schneider1993].

    Attributes:
        h: h(n1, n2, n3), homogeneous of degree 1: of a ball its middle alone, h = at . n.
        round: r, by which the surface lies outside that of h.
        middle: of what is drawn, in the body's axes.
        drawn: what is drawn.
    """

    h: sp.Expr
    round: sp.Expr = sp.S.Zero
    middle: sp.Matrix = field(default_factory=lambda: sp.zeros(3, 1))
    drawn: Body | None = None

    own = None

    @property
    def is_ball(self) -> bool:
        """Is grad h the same everywhere?"""
        return not self._gradient.free_symbols & set(_N)

    def height(self, m: sp.Matrix) -> sp.Expr:
        """h(m) + r, the distance of the tangent plane from the origin, for a unit vector m in the body's axes."""
        return self.h.xreplace(dict(zip(_N, m, strict=True))) + self.round

    def arm(self, m: sp.Matrix) -> sp.Matrix:
        """grad h(m), in the body's axes: r m less than the point whose outward normal is m."""
        return sp.Matrix(self._gradient.xreplace(dict(zip(_N, m, strict=True))))

    def rate(self, m: sp.Matrix, dm: sp.Matrix) -> sp.Matrix:
        """d/dt grad h(m) = Hess h(m) dm/dt."""
        return sp.Matrix(self.radii.xreplace(dict(zip(_N, m, strict=True)))) * dm

    def held(self, m: sp.Matrix) -> dict[str, sp.Expr]:
        """Nothing: the normal tells what touches."""
        return {}

    def beside(self, dm: sp.Matrix) -> tuple[sp.Expr, ...]:
        """Nothing."""
        return ()

    def bent(self, m: np.ndarray, values: Mapping[str, float]) -> np.ndarray:
        """Hess h(m) in numbers."""
        here = dict(zip((n.name for n in _N), map(float, m), strict=True))
        return numbers(self.radii, {**values, **here}).reshape(3, 3)

    @property
    def radii(self) -> sp.Matrix:
        """Hess h (3 x 3): the radii of curvature, less r."""
        return self._gradient.jacobian(_N)

    @property
    def _gradient(self) -> sp.Matrix:
        return sp.Matrix([self.h.diff(n) for n in _N])


def of_function(h: sp.Expr) -> Support:
    """The body of a support function (E155 for one that is not of degree 1, or of no convex body)."""
    _check_homogeneous(h)
    _check_convex(h)
    return Support(h)


def _body(given: Mapping[object, object]) -> Body:
    known = {f.name.rstrip("_"): f.name for f in fields(Body)}
    strange = [key for key in given if key not in known]
    if strange or "shape" not in given:
        fact = f"a body has no {as_given(strange[0])}" if strange else "the body has no shape"
        raise InvalidValue("E155", fact, EXAMPLE)
    return Body(**{known[str(key)]: value for key, value in given.items()})  # type: ignore[arg-type]


def of_shape(given: Body | Mapping[object, object], reader: Reader) -> Support:
    """The support functions of what `Body` draws, each moved to where its middle is (E155 for what does not roll)."""
    body = _body(given) if isinstance(given, Mapping) else given

    def length(part: str) -> sp.Expr:
        if getattr(body, part) is None:
            raise InvalidValue(
                "E155", f"the {body.shape} has no {part}", f"da.Body({as_given(body.shape)}, {part}=...)"
            )
        return _positive(reader.read(getattr(body, part), part), part)

    if body.turn:
        raise InvalidValue("E155", f"the {body.shape} has a turn", "leave it out: what rolls turns by itself")
    middle = sp.Matrix([reader.read(e, "at") for e in _three(body.at or (0, 0, 0), "at")])
    ring, away = sp.sqrt(_N[0] ** 2 + _N[1] ** 2), middle.dot(_N)
    if body.shape == "ball":
        # h = r |n|
        return Support(away, length("radius"), middle, body)
    if body.shape == "ellipsoid":
        # h = sqrt(a^2 n1^2 + b^2 n2^2 + c^2 n3^2)
        half = [_positive(reader.read(e, "size"), "size") / 2 for e in _three(body.size, "size")]
        h = sp.sqrt(sum((a**2 * n**2 for a, n in zip(half, _N, strict=True)), sp.S.Zero))
    elif body.shape == "disc":
        # h = r sqrt(n1^2 + n2^2): the edge is a circle
        h = length("radius") * ring
    elif body.shape == "wheel":
        # h = (r - s) sqrt(n1^2 + n2^2), and s outside of it: the rim is a torus, s half of its thickness
        r = length("radius")
        s = r * _THICKNESS / 2 if body.thickness is None else length("thickness") / 2
        _positive(r - s, "the radius less half of the thickness")
        return Support((r - s) * ring + away, s, middle, body)
    else:
        raise InvalidValue("E155", f"a {body.shape} has no smooth convex surface that rolls", f"one of {_SHAPES}")
    return Support(h + away, middle=middle, drawn=body)


def _three(given: object, part: str) -> Sequence[str | sp.Expr | float]:
    if isinstance(given, str) or not isinstance(given, Sequence | sp.MatrixBase) or len(given) != 3:
        raise InvalidValue("E155", f"{part} is three lengths, not {as_given(given)}", f'{part}=("2*a", "2*b", "2*c")')
    return [*given]


def _positive(e: sp.Expr, part: str) -> sp.Expr:
    if e.is_number and not float(e) > 0:
        raise InvalidValue("E155", f"{part} = {e} is not above 0", "a body that rolls has a size")
    return e


def _samples(h: sp.Expr, outputs: Sequence[sp.Expr]) -> list[np.ndarray]:
    """The outputs at random directions, with parameters from 0.5 to 1.5."""
    rng, graph = np.random.default_rng(31), Graph()
    nodes = [read(e, graph) for e in outputs]
    others = sorted({s.name for s in h.free_symbols} - {s.name for s in _N})
    found = []
    for _ in range(_TRIES):
        n = rng.normal(size=3)
        values = {**dict(zip((s.name for s in _N), n / np.linalg.norm(n), strict=True))}
        values |= {name: float(rng.uniform(0.5, 1.5)) for name in others}
        with np.errstate(all="ignore"):
            found.append(np.array(evaluate(nodes, values), float))
    return found


def _check_homogeneous(h: sp.Expr) -> None:
    """E155 where n . grad h is not h (Euler)."""
    euler = sum((n * h.diff(n) for n in _N), sp.S.Zero)
    if not h.free_symbols & set(_N) or any(
        not abs(a - b) <= _TOLERANCE * max(1.0, abs(b)) for a, b in _samples(h, [euler, h])
    ):
        fact = f"the support function {h} is not homogeneous of degree 1 in n1, n2, n3"
        raise InvalidValue("E155", fact, "h(n) is the largest n . x of the points x of the body: h(2 n) = 2 h(n)")


def _check_convex(h: sp.Expr) -> None:
    """E155 where a radius of curvature is negative; W155 where it is with values that parameters might have."""
    names = sorted({s.name for s in h.free_symbols} - {s.name for s in _N})
    if not names:
        check_radii(h, {})
        return
    rng = np.random.default_rng(53)
    tried = [{name: float(rng.uniform(0.5, 1.5)) for name in names} for _ in range(_TRIES)]
    hollow = next((values for values in tried if _least_radius(h, values) < -_TOLERANCE), None)
    if hollow is not None:
        where = ", ".join(f"{name} = {value:.3g}" for name, value in hollow.items())
        text = f"the support function {h} is not convex at {where}: rolls.meets(start, parameters) says of other values"
        warn("W155", text, 5)


def check_radii(h: sp.Expr, values: Mapping[str, float]) -> None:
    """E155 where a radius of curvature is negative, with these values of parameters."""
    least = _least_radius(h, values)
    if least < -_TOLERANCE:
        fact = f"the support function {h} is not convex: a radius of curvature is {least:.3g} at some normal"
        raise InvalidValue("E155", fact, "a body that rolls on its whole surface is convex")


def _least_radius(h: sp.Expr, values: Mapping[str, float]) -> float:
    """The least radius of curvature at many normals, an eigenvalue of Hess h."""
    n, graph = np.random.default_rng(31).normal(size=(3, _NORMALS)), Graph()
    nodes = [read(e, graph) for e in sp.hessian(h, list(_N))]
    known = {**values, **dict(zip((s.name for s in _N), n / np.linalg.norm(n, axis=0), strict=True))}
    with np.errstate(all="ignore"):
        found = np.stack([np.broadcast_to(np.asarray(e, float), _NORMALS) for e in evaluate(nodes, known)], axis=1)
    bends = found[np.isfinite(found).all(axis=1)].reshape(-1, 3, 3)
    return float(np.linalg.eigvalsh(bends)[:, 0].min(initial=0.0))


def numbers(entries: Iterable[sp.Expr], values: Mapping[str, float]) -> np.ndarray:
    """The values of expressions (n,), not finite where they have none."""
    graph = Graph()
    with np.errstate(all="ignore"):
        return np.array([float(e) for e in evaluate([read(e, graph) for e in entries], values)], float)
