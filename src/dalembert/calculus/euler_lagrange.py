"""The Euler-Lagrange expression in a frame, the time derivative along it, and whether anchor and brackets make a frame.

    EL_a(L) = d/dt (dL/du^a) - E^i_a dL/dq^i + C^c_ab u^b dL/du^c          [hamel1904], with qdot = E u

One function gives Lagrange's equations (E = 1, C = 0), Hamel's (a moving frame), Euler's and Euler-Poincare's (no q).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from .algebra import Algebra
from .frame import TIME, Frame


class Affine(NamedTuple):
    """Expressions affine in the accelerations: matrix[r][a] udot^a + rest[r]."""

    matrix: Sequence[list[Any]]
    rest: list[Any]


class Motion:
    """A frame read into an algebra: its symbols, and derivatives along qdot = E u."""

    def __init__(self, frame: Frame, algebra: Algebra) -> None:
        self.algebra = algebra
        self.t = algebra.read(TIME)
        self.q = [algebra.read(q) for q in frame.coordinates]
        self.u = [algebra.read(u) for u in frame.velocities]
        self.zero = algebra.read(0)
        self.anchor = [[self.zero] * len(self.u) for _ in self.q]
        held = sorted(frame.anchor.todok().items())
        for (i, a), e in held:
            self.anchor[i][a] = algebra.read(e)
        self.brackets = {pair: [algebra.read(c) for c in row] for pair, row in frame.brackets.items()}
        self.projection = frame.projection
        self.one = algebra.read(1)
        # the entries of E that are not 0, by columns: (i, E^i_a) of column a
        self.columns: list[list[tuple[int, Any]]] = [[] for _ in self.u]
        self.qdot = [self.zero] * len(self.q)
        for (i, a), _ in held:
            if self.anchor[i][a] != self.zero:
                self.columns[a].append((i, self.anchor[i][a]))
                # qdot^i = E^i_a u^a
                self.qdot[i] = self.qdot[i] + self.anchor[i][a] * self.u[a]

    @classmethod
    def of(cls, frame: Frame, algebra: Algebra) -> Motion:
        """The motion of this frame in this algebra, made once."""
        key = ("motion", id(frame))
        found = algebra.memory.get(key)
        if found is None or found[0] is not frame:
            found = algebra.memory[key] = (frame, cls(frame, algebra))
        return cast(Motion, found[1])

    def sum(self, terms: Any) -> Any:
        """Sum of terms, starting from this algebra's 0."""
        return sum(terms, self.zero)

    def bracket(self, a: int, b: int) -> list[Any]:
        """The row C^c_ab, c = 1..k; antisymmetric in a, b."""
        if a > b:
            return [-1 * c for c in self.bracket(b, a)]
        return list(self.brackets.get((a, b), [self.zero] * len(self.u)))

    def derivative(self, ys: Sequence[Any]) -> Affine:
        """d/dt of each y(t, q, u) = (dy/du^a) udot^a + (dy/dq^i) E^i_b u^b + dy/dt."""
        matrix = self.algebra.slopes(ys, self.u)
        rest = self.algebra.along(ys, [*self.q, self.t], [*self.qdot, self.one])
        return Affine(matrix, rest)

    def curvatures(self, p: Sequence[Any]) -> list[Any]:
        """C^c_ab u^b p_c for each direction a.

        Brackets that were projected with the metric G are not raised where p = G u:  C^c_ab p_c = (G C_ab)_c u^c.
        """
        table, over = (self.brackets, p) if (low := self._lowered(p)) is None else (low, self.u)
        terms = [[self.zero] for _ in self.u]
        for (a, b), row in table.items():
            terms[a] += [C * self.u[b] * x for C, x in zip(row, over, strict=True)]
            terms[b] += [-1 * (C * self.u[a] * x) for C, x in zip(row, over, strict=True)]
        return [self.sum(each) for each in terms]

    def _lowered(self, p: Sequence[Any]) -> dict[tuple[int, int], list[Any]] | None:
        """G C_ab, where the brackets were projected with a metric G and p = G u; else None."""
        if self.projection is None:
            return None
        read = self.algebra.read
        for pc, row in zip(p, self.projection.metric.tolist(), strict=True):
            if not self.algebra.zero(pc - self.sum(read(g) * u for g, u in zip(row, self.u, strict=True))):
                return None
        return {pair: [read(e) for e in row] for pair, row in self.projection.lowered.items()}

    def euler_lagrange(self, L: Any) -> Affine:
        """EL_a(L) = W_ab udot^b + h_a: the velocity Hessian W (k x k) and the rest h (k)."""
        p = self.algebra.gradient(L, self.u)  # p_a = dL/du^a, W_ab = dp_a/du^b
        dL = self.algebra.gradient(L, self.q)
        pdot = Affine(
            self.algebra.slopes(p, self.u, symmetric=True),
            self.algebra.along(p, [*self.q, self.t], [*self.qdot, self.one]),
        )
        # EL_a(L) = d/dt p_a - E^i_a dL/dq^i + C^c_ab u^b p_c
        rest = [
            pdot.rest[a] - self.sum(e * dL[i] for i, e in self.columns[a]) + curved
            for a, curved in enumerate(self.curvatures(p))
        ]
        return Affine(pdot.matrix, rest)

    def energy(self, L: Any) -> Any:
        """u^a dL/du^a - L."""
        return self.sum(u * p for u, p in zip(self.u, self.algebra.gradient(L, self.u), strict=True)) - L


# --- do anchor and brackets belong together? --------------------------------------------------------------------------

# Two expressions that vanish where they do:
#
#     [E_a, E_b]^i - E^i_c C^c_ab           compatibility
#     [[e_a, e_b], e_c]^d + cyclic          the Jacobi identity, which may fail on a frame that is "almost" one


def compatibility(motion: Motion, a: int, b: int) -> list[Any]:
    """[E_a, E_b]^i - E^i_c C^c_ab for each coordinate."""
    E_a, E_b = ([row[x] for row in motion.anchor] for x in (a, b))
    # [E_a, E_b]^i = E^j_a dE^i_b/dq^j - E^j_b dE^i_a/dq^j
    there, back = motion.algebra.along(E_b, motion.q, E_a), motion.algebra.along(E_a, motion.q, E_b)
    C = motion.bracket(a, b)
    return [
        x - y - motion.sum(e * c for e, c in zip(row, C, strict=True))
        for x, y, row in zip(there, back, motion.anchor, strict=True)
    ]


def jacobi(motion: Motion, a: int, b: int, c: int) -> list[Any]:
    """Components of [[e_a, e_b], e_c] + cyclic."""
    turns = ((a, b, c), (b, c, a), (c, a, b))
    parts = [_bracket_with(motion, motion.bracket(x, y), z) for x, y, z in turns]
    return [motion.sum(each) for each in zip(*parts, strict=True)]


def _bracket_with(motion: Motion, f: Sequence[Any], z: int) -> list[Any]:
    """[f^s e_s, e_z] = f^s C^d_sz e_d - (E^i_z df^d/dq^i) e_d."""
    slopes = motion.algebra.along(f, motion.q, [row[z] for row in motion.anchor])
    rows = [motion.bracket(s, z) for s in range(len(f))]
    return [motion.sum(fs * row[d] for fs, row in zip(f, rows, strict=True)) - slopes[d] for d in range(len(f))]
