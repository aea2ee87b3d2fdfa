"""Random recipes: spaces, Lagrangians, constraints and forces, small enough that ten thousand can be tried."""

from __future__ import annotations

import random
from fractions import Fraction

from .charts import Factor
from .recipe import Force, Recipe, half, square
from .trees import Tree, add, mul, name

MOST = 6  # velocities
# a frame costs most: its brackets are derived
KINDS = (*["plain"] * 8, "frame", *["SE2"] * 5, *["rotation"] * 5, *["direction"] * 2, *["SE3"] * 2)


class Inventor:
    """Draws one recipe."""

    def __init__(self, seed: int) -> None:
        self.seed, self.rng = seed, random.Random(seed)
        self.free = iter(["x", "y", "z", "a", "b", "c", "d", "e"])
        self.parameters: dict[str, float] = {}
        self.moving = self.rng.random() < 0.3  # does the time occur?
        kind = random.Random(f"kind {seed}")  # of its own: systems of other kinds stay what they were
        self.chaplygin = kind.random() < 0.2  # do some coordinates occur nowhere, their rates given by the others?
        self.extreme = kind.random() < 0.2  # are there bumps, exponentials, tiny and huge numbers?

    def recipe(self) -> Recipe:
        """A system."""
        rng = self.rng
        self.factors = self.plain() if self.chaplygin else self.spaces()
        self.q = [n for f in self.factors for n in f.q]
        self.u = [n for f in self.factors for n in f.u]
        hidden = rng.randint(1, len(self.q) // 2) if self.chaplygin else 0
        self.given, self.q = self.u[:hidden], self.q[hidden:]
        self.moving &= not self.chaplygin
        self.vakonomic = rng.random() < 0.15 and not self.chaplygin
        lagrangian = [*self.kinetic(), *(self.potential() for _ in range(rng.randint(0, 2)))]
        if rng.random() < 0.3:  # gyroscopic
            lagrangian.append(mul(self.bounded(), name(rng.choice(self.u))))
        constraints = [self.linear(n) for n in self.given] if self.chaplygin else self.constraints()
        forces = tuple(self.force() for _ in range(rng.choice((0, 0, 1, 1, 2))))
        rng.shuffle(lagrangian)
        return Recipe(
            self.seed,
            tuple(self.factors),
            tuple(lagrangian),
            tuple((f"c{i}", terms) for i, terms in enumerate(constraints)),
            forces,
            tuple(self.parameters.items()),
            "vakonomic" if self.vakonomic and constraints else "nonholonomic",
            rng.random() < 0.5,
        )

    # --- spaces --------------------------------------------------------------------------------------------------

    def spaces(self) -> list[Factor]:
        """One to three factors with two to six velocities."""
        factors: list[Factor] = []
        most = self.rng.choice((3, 4, 5, 5, MOST))
        while sum(len(f.u) for f in factors) < 2 or (len(factors) < 3 and self.rng.random() < 0.5):
            factor = self.factor(len(factors))
            if sum(len(f.u) for f in (*factors, factor)) <= most:
                factors.append(factor)
            elif sum(len(f.u) for f in factors) > 1:
                break
        return factors

    def plain(self) -> list[Factor]:
        """Plain coordinates, two to five."""
        q = self.names(self.rng.choice((2, 3, 3, 4, 5)))
        return [Factor("plain", q, tuple(f"v{n}" for n in q))]

    def factor(self, i: int) -> Factor:
        """One factor; its names are its own."""
        rng = self.rng
        kind = rng.choice(KINDS)
        frame = rng.choice(("body", "space"))
        w = tuple(f"w{j}{i}" for j in (1, 2, 3))
        if kind == "plain":
            given = rng.choice(("angle", "plane", "", ""))
            q = self.names({"angle": 1, "plane": 2}.get(given, rng.randint(1, 3)))
            return Factor("plain", q, tuple(f"v{n}" for n in q), given)
        if kind == "frame":
            q = self.names(rng.choice((2, 3)))
            return Factor("frame", q, tuple(f"u{n}" for n in q), anchor=self.anchor(q))
        if kind == "SE2":
            q = self.names(3)
            return Factor("SE2", q, (f"f{i}", f"g{i}", f"h{i}"), frame)
        if kind == "direction":
            return Factor("direction", tuple(f"Z{i}{j}" for j in (1, 2, 3)), w, name=f"Z{i}")
        Q, matrix = f"Q{i}", kind == "rotation" and rng.random() < 0.3
        attitude = [f"{Q}{a}{b}" for a in (1, 2, 3) for b in (1, 2, 3)] if matrix else [f"{Q}_{c}" for c in "wxyz"]
        if kind == "rotation":
            return Factor("rotation", tuple(attitude), w, frame, Q, matrix)
        p = self.names(3)
        return Factor("SE3", (*p, *attitude), (*(f"v{j}{i}" for j in (1, 2, 3)), *w), frame, Q)

    def names(self, count: int) -> tuple[str, ...]:
        """Names that are free; numbered when the letters are used up."""
        return tuple(next(self.free, None) or f"q{self.rng.randrange(10**6)}" for _ in range(count))

    def anchor(self, q: tuple[str, ...]) -> tuple[tuple[Tree, ...], ...]:
        """E(q): large on the diagonal, with off-diagonal entries that depend on the coordinates."""
        self.q = list(q)
        self.factors = []
        moving, self.moving = self.moving, False
        rows = [[0 if self.rng.random() < 0.5 else mul(Fraction(1, 3), self.wave(False)) for _ in q] for _ in q]
        for i in range(len(q)):
            rows[i][i] = self.rng.choice((1, 2, add(Fraction(3, 2), mul(Fraction(1, 3), self.wave(False)))))
        self.moving = moving
        return tuple(tuple(row) for row in rows)

    # --- expressions ---------------------------------------------------------------------------------------------

    def number(self) -> Tree:
        """A number or a parameter, positive; of order 1 unless the system is extreme."""
        if self.extreme and self.rng.random() < 0.1:
            return self.rng.choice((Fraction(1, 10**6), Fraction(1, 10**3), 10**3, 10**5))
        if self.rng.random() < 0.3:
            n = self.rng.choice(("k1", "k2", "m"))
            self.parameters.setdefault(n, round(self.rng.uniform(0.4, 1.6), 3))
            return name(n)
        return Fraction(self.rng.randint(2, 9), self.rng.randint(3, 6))

    def place(self, parameters: bool = True) -> Tree:
        """A coordinate, an entry of a rotation or the time."""
        rng = self.rng
        turned = [f for f in self.factors if f.kind in ("rotation", "SE3")]
        if turned and rng.random() < 0.5:
            return ("R", rng.choice(turned).name, rng.randrange(3), rng.randrange(3))
        if self.moving and parameters and rng.random() < 0.3:
            return name("t")
        return name(rng.choice(self.q))

    def wave(self, parameters: bool = True) -> Tree:
        """Of size 1 at most: sin, cos, tanh, 1/(1 + x^2) or exp(-x^2) of a place."""
        rng = self.rng
        x = self.place(parameters)
        if rng.random() < 0.4:
            x = add(x, mul(rng.choice((1, 2, Fraction(-1, 2))), self.place(parameters)))
        if self.extreme and rng.random() < 0.4:
            return self.bump(x)
        kind = rng.randrange(6)
        if kind < 4:
            return (("sin", "cos", "tanh", "atan")[kind], x)
        return ("/", 1, add(1, ("^", x, 2))) if kind == 4 else ("exp", mul(-1, ("^", x, 2)))

    def bump(self, x: Tree) -> Tree:
        """Small or large nearly everywhere: exp(-c (x - a)^2), exp(c x), 1/(1 + x^2)^n."""
        rng = self.rng
        shift = add(x, Fraction(rng.randint(-8, 8), 2))
        return rng.choice(
            (
                ("exp", mul(-rng.choice((4, 40, 400)), ("^", shift, 2))),
                ("exp", mul(rng.choice((-9, -3, 3, 9)), x)),
                ("^", add(1, ("^", shift, 2)), -rng.choice((3, 12))),
            )
        )

    def bounded(self) -> Tree:
        """A number, or a wave, or their product."""
        return self.rng.choice((self.number, self.wave, lambda: mul(self.number(), self.wave())))()

    def potential(self) -> Tree:
        """A term of a potential."""
        rng = self.rng
        kind = rng.randrange(4)
        if kind == 0:
            return mul(-1, self.number(), ("^", self.place(), 2))
        if kind == 1:
            return mul(self.number(), self.place(), self.place())
        if kind == 2:
            return mul(self.number(), ("sqrt", add(1, ("^", self.place(), 2))))
        return mul(self.number(), self.wave())

    def kinetic(self) -> list[Tree]:
        """M_ab u_a u_b / 2 with a dominant diagonal, and sometimes terms of degree four."""
        rng, u = self.rng, self.u
        terms: list[Tree] = []
        for n in u:
            c = self.number()
            c = c if rng.random() < 0.5 else mul(c, add(rng.choice((2, 3)), self.wave()))
            terms.append(half(mul(c, square(n))))
        for a, b in self.pairs(0 if self.extreme else rng.choice((0, 1, 1, 2))):  # so that the energy stays positive
            terms.append(mul(Fraction(1, rng.choice((7, 9))), self.bounded(), name(a), name(b)))
        if rng.random() < 0.12:
            a, b = rng.choice(u), rng.choice(u)
            terms.append(mul(Fraction(1, 12), ("^", add(square(a), square(b)), 2)))
        return terms

    def pairs(self, count: int) -> list[tuple[str, str]]:
        """Pairs of different velocities."""
        return [tuple(self.rng.sample(self.u, 2)) for _ in range(count)]  # type: ignore[misc]

    # --- constraints and forces ----------------------------------------------------------------------------------

    def constraints(self) -> list[tuple[Tree, ...]]:
        """None to all but one; sometimes one more that depends on them."""
        rng = self.rng
        count = min(rng.choice((0, 1, 1, 1, 2, 2, 3)), len(self.u) - 1)
        leading = rng.sample(self.u, count)
        rows = [self.constraint(n) for n in leading]
        linear = [r for r in rows if r[0][0] == "name"]
        if linear and not self.vakonomic and rng.random() < 0.1:
            mixed = [mul(self.number(), t) for t in linear[0]]
            if len(linear) > 1:
                mixed += [mul(self.wave(), t) for t in linear[1]]
            rows.append(tuple(mixed))
        return rows

    def constraint(self, leading: str) -> tuple[Tree, ...]:
        """Linear, affine, nonlinear or on positions; `leading` enters alone."""
        rng = self.rng
        kind = rng.choices(("linear", "affine", "nonlinear", "holonomic"), (50, 15, 15, 20))[0]
        plain = [q for f in self.factors if f.kind == "plain" for q in f.q]
        if kind == "holonomic":
            if plain and rng.random() < 0.7:
                q = rng.choice(plain)
                return (("/", name(q), 1), mul(Fraction(1, 2), self.wave()), *self.pushed())
            return (mul(Fraction(3, 2), self.place()), mul(Fraction(1, 3), self.wave()), *self.pushed())
        others = [n for n in self.u if n != leading]
        terms = list(self.linear(leading))
        if kind == "affine":
            terms.append(mul(Fraction(1, 2), self.wave()) if rng.random() < 0.7 else self.number())
        if kind == "nonlinear":
            bent = mul(Fraction(1, rng.choice((5, 7))), square(rng.choice(others)))
            terms.append(bent if rng.random() < 0.7 else mul(bent, self.wave()))
        return tuple(terms)

    def linear(self, leading: str) -> tuple[Tree, ...]:
        """`leading` and one or two others with coefficients; others that enter no row alone in a Chaplygin system."""
        others = [n for n in self.u if n != leading and n not in self.given]
        chosen = self.rng.sample(others, min(len(others), self.rng.choice((1, 1, 2))))
        return (name(leading), *(mul(self.bounded(), name(n)) for n in chosen))

    def pushed(self) -> list[Tree]:
        """A part that moves with the time, sometimes."""
        return [mul(Fraction(1, 4), ("sin", name("t")))] if self.moving and self.rng.random() < 0.5 else []

    def force(self) -> Force:
        """A force law."""
        rng, u = self.rng, self.u
        kind = rng.choice(("given", "given", "applied", "viscous", "rayleigh", "dry"))
        v = name(rng.choice(u))
        point = add(v, mul(self.bounded(), name(rng.choice(u)))) if rng.random() < 0.5 else v
        if kind == "given":
            size = rng.choice((self.bounded(), mul(-1, self.number(), name(rng.choice(u))), mul(self.wave(), v)))
            return Force("given", (v,), (size,))
        if kind == "applied":
            angle = self.place()
            F = self.number()
            return Force("applied", (point, name(rng.choice(u))), (mul(F, ("cos", angle)), mul(F, ("sin", angle))))
        if kind == "rayleigh":
            return Force("rayleigh", (half(add(mul(self.number(), ("^", point, 2)), square(rng.choice(u)))),))
        along = (point,) if rng.random() < 0.5 else (point, name(rng.choice(u)))
        return Force(kind, along, (self.number(),), kind == "dry" and rng.random() < 0.5)


def invent(seed: int) -> Recipe:
    """The recipe of a seed, always the same."""
    return Inventor(seed).recipe()
