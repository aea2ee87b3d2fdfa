"""Draws the systems of `drawn`: each feature is a method that adds its terms."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np

from ..agreement import invent
from ..agreement.charts import Factor
from ..agreement.recipe import Force, Recipe, half, square
from ..agreement.trees import Tree, add, mul, name
from .drawn import DRIVES, KNOTS, PLACES, ROWS, SPACES, Drawn, Drive, Touch, features_of


class Inventor(invent.Inventor):
    """One system with these features."""

    def __init__(self, seed: int, features: frozenset[str] | None = None) -> None:
        self.rng, self.seed = random.Random(f"combination {seed}"), seed
        self.has = features_of(seed) if features is None else features
        rng = self.rng
        self.factors: list[Factor] = []  # whose rotations stand in terms
        self.moving = self.extreme = False
        self.parameters: dict[str, float] = {"m1": round(rng.uniform(0.7, 1.4), 3)}
        self.t0 = rng.choice((0.0, 0.25))
        main = self.main()
        plain = ["s", "z", *([] if main else ["x", "y"])]
        plain += ["h"] * ("row of positions" in self.has) + ["p"] * ("massless" in self.has)
        self.gaps = ["g"] * bool(self.has & {"one contact", "two contacts"}) + ["k"] * ("two contacts" in self.has)
        self.space = (*main, Factor("plain", tuple(plain + self.gaps), tuple(f"v{q}" for q in plain + self.gaps)))
        whole = rng.random() < 0.5
        self.symmetry: list[object] = ["z", *(self.group(main[0]) if whole and main else [])]
        own = [q for f in main for q in f.q] or ["x"]
        self.q = ["s", "s", *([] if len(self.symmetry) > 1 else own)]  # that terms depend on
        large = bool(main) and main[0].kind == "SE3" and rng.random() < 0.7  # rotations make it larger still
        self.factors = main if len(self.symmetry) == 1 and not large else []
        self.u = [u for f in main for u in f.u] or ["vx", "vy"]  # that rows and terms take, beside vs
        self.units: dict[str, str] = {}
        self.formulas: dict[str, Tree] = {}
        self.definitions: dict[str, Tree] = {}
        self.drives: dict[str, Drive] = {}
        self.forces: list[Force] = []
        self.rows: list[list[Tree]] = []
        self.leads: list[str] = []

    def main(self) -> list[Factor]:
        """The factor that the features ask for."""
        rng, kind = self.rng, next((f for f in SPACES if f in self.has), "")
        w, quaternion = ("w1", "w2", "w3"), ("R_w", "R_x", "R_y", "R_z")
        frame = rng.choice(("body", "space"))
        if kind.startswith("attitude"):
            frame, matrix = ("body" if "body" in kind else "space"), rng.random() < 0.25
            nine = tuple(f"R{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3))
            return [Factor("rotation", nine if matrix else quaternion, w, frame, "R", matrix)]
        if kind == "SE(2)":
            return [Factor("SE2", ("x", "y", "th"), ("f1", "f2", "om"), frame)]
        if kind == "SE(3)":
            return [Factor("SE3", ("x", "y", "a", *quaternion), ("f1", "f2", "f3", *w), frame, "R")]
        if kind == "direction":
            return [Factor("direction", ("n1", "n2", "n3"), w, name="n")]
        if kind == "moving frame":
            self.q = ["x", "y"]
            k: Tree = name("kk") if "formula parameter" in self.has else Fraction(1, 3)
            rows = ((rng.choice((1, 2)), mul(k, self.wave())), (mul(Fraction(1, 4), self.wave()), 1))
            return [Factor("frame", ("x", "y"), ("f1", "f2"), anchor=rows)]
        return []

    def group(self, f: Factor) -> list[object]:
        """What leaves terms in its velocities alone."""
        if f.kind == "SE2" and f.frame == "body":
            return [("euclidean", "x y", "th")]
        if f.kind == "rotation" and f.frame == "body":
            return [("rotations", "R")]
        if f.kind == "rotation":
            return [("spin", "R", axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
        return [("translations", "x y a"), ("rotations", "R", "x y a")] if (f.kind, f.frame) == ("SE3", "body") else []

    # --- terms -------------------------------------------------------------------------------------------------------

    def fast(self) -> Tree:
        """A velocity, of which no row takes the lead."""
        return name(self.rng.choice([u for u in ("vs", *self.u) if u not in self.leads]))

    def pulse(self) -> Tree:
        """A function of the time."""
        return (self.rng.choice(("sin", "cos")), mul(Fraction(self.rng.randint(2, 6), 4), self.per(1), name("t")))

    def push(self, u: Tree, *size: Tree) -> None:
        """A force along a velocity."""
        self.forces.append(Force("given", (u,), (mul(*size),)))

    def per(self, power: int) -> Tree:
        """1/s to a power, where there are units."""
        hz = name("hz") if "units" in self.has else 1
        return ("/", 1, hz) if power < 0 else mul(*[hz] * power)

    # --- the system --------------------------------------------------------------------------------------------------

    def drawn(self) -> Drawn:
        """It."""
        self.some_rows()
        L = [half(mul(name("m1"), square("vs"))), *self.energies()]
        if "row of positions" in self.has:
            moving = [mul(Fraction(1, 4), self.pulse())] if "time in a row" in self.has else []
            self.rows.append([name("h"), mul(Fraction(1, 2), self.wave()), *moving])
            L += [half(square("vh")), mul(-1, self.per(2), name("h"))]
            self.leads += ["vh", "h"]
        for gap in self.gaps:
            L += [half(square(f"v{gap}")), mul(-self.rng.randint(3, 6), self.per(2), name(gap))]
        touches = [Touch(gap, self.slip(), self.rng.choice((0.1, 0.2))) for gap in self.gaps]
        self.feature_terms(L)
        rows = tuple((f"c{i}", tuple(terms)) for i, terms in enumerate(self.rows))
        recipe = Recipe(self.seed, self.space, tuple(L), rows, tuple(self.forces))
        start, units = self.start()
        parts = (self.parameters, self.units, self.formulas, self.definitions, self.drives, (), tuple(touches))
        massless = ("vp",) if "massless" in self.has else ()
        return Drawn(self.has, recipe, self.t0, *parts, massless, tuple(self.symmetry), tuple(self.leads), start, units)

    def some_rows(self) -> None:
        """None to two, linear until features add to them."""
        rng = self.rng
        needed = bool(self.has & {*ROWS})
        for _ in range(rng.choice((1, 1, 2)) if needed or rng.random() < 0.7 else 0):
            lead = rng.choice([u for u in (*self.u, "vz", "vz") if u not in self.leads])
            self.leads.append(lead)
            self.rows.append([name(lead)])
        for row in self.rows:
            others = [u for u in ("vs", *self.u) if u not in self.leads]
            row += [mul(self.bounded(), name(u)) for u in rng.sample(others, min(len(others), rng.choice((1, 2))))]
        self.moving_rows = len(self.rows)
        if "massless" in self.has:
            self.rows.append([name("vp"), mul(self.bounded(), self.fast())])
            self.leads.append("vp")

    def energies(self) -> list[Tree]:
        """Kinetic and potential energy."""
        rng, terms = self.rng, []
        for u in (*self.u, "vz"):
            c: Tree = self.number()
            terms.append(half(mul(c if rng.random() < 0.6 else mul(c, add(2, self.wave())), square(u))))
        if rng.random() < 0.5:
            terms.append(mul(Fraction(1, 8), self.wave(), name("vs"), self.fast()))
        terms.append(mul(Fraction(-1, 2), self.number(), self.per(2), ("^", name("s"), 2)))
        return [*terms, mul(self.number(), self.per(2), self.wave())]

    def slip(self) -> Tree:
        """The velocity of slip of a contact."""
        return name("vs") if self.rng.random() < 0.5 else add(name("vs"), mul(Fraction(1, 4), self.fast()))

    def feature_terms(self, L: list[Tree]) -> None:
        """What each feature adds."""
        has, rng = self.has, self.rng
        any_u = [*self.u, "vs", "vz"]
        if "gyroscopic, constant" in has:
            L += [mul(self.number(), self.per(1), name(u)) for u in rng.sample(any_u, 2)]
        if "gyroscopic, of the place" in has:
            L += [mul(self.number(), self.per(1), self.wave(), name(u)) for u in rng.sample(any_u, 2)]
        if "gyroscopic across a row" in has:
            L.append(mul(self.bounded(), self.per(1), self.wave(), add(*self.rows[0])))
        if "time in L" in has:
            potential, linear = mul(self.per(2), self.wave()), mul(self.per(1), self.fast())
            L.append(mul(self.pulse(), rng.choice((potential, mul(Fraction(1, 4), square("vs")), linear))))
        if "time in a force" in has:
            self.push(self.fast(), self.pulse(), self.per(2), self.bounded())
        if "force of velocities" in has:
            self.push(self.fast(), mul(-1, self.number()), self.per(1), self.fast())
            self.push(self.fast(), self.wave(), self.per(1), self.fast())
        if "quadratic drag" in has:
            v = self.fast()
            self.push(v, mul(-1, self.number()), v, ("sqrt", add(("^", v, 2), mul(Fraction(1, 10), self.per(2)))))
        if "time in a row" in has and self.moving_rows:
            i = rng.randrange(self.moving_rows)
            self.rows[i].append(mul(self.pulse(), rng.choice((mul(Fraction(1, 2), self.per(1)), self.fast()))))
        if "affine row" in has:
            self.rows[0].append(mul(Fraction(1, 2), self.per(1), self.bounded()))
        if "nonlinear row" in has:
            bent = ("^", self.fast(), 2)
            bent = bent if rng.random() < 0.5 else mul(self.wave(), bent)
            self.rows[self.moving_rows - 1].append(mul(Fraction(1, 6), self.per(-1), bent))
        self.named(L)
        self.inputs(L)

    def named(self, L: list[Tree]) -> None:
        """Definitions, formulas and units."""
        if "definitions" in self.has:
            self.definitions["D1"] = add(self.wave(), ("^", self.place(), 2))
            L.append(mul(Fraction(1, 5), name("D1"), square("vs")))
            self.push(self.fast(), Fraction(1, 3), self.per(2), name("D1"))
        if "formula parameter" in self.has:
            self.parameters["r"] = 0.4
            self.formulas["kk"] = mul(name("m1"), ("^", name("r"), 2))
            L.append(mul(name("kk"), square("vs")))
            self.push(self.fast(), mul(-1, name("kk")), self.per(1), self.fast())
            if self.moving_rows:
                self.rows[0].append(mul(name("kk"), self.fast()))
        if "units" in self.has:
            self.parameters |= {"tilt": float(np.deg2rad(40)), "ratio": 1.2, "hz": 1.0}
            self.units |= {"tilt": "40 deg", "ratio": "1200 g/kg", "hz": "1000 mHz"}
            L += [
                mul(Fraction(1, 3), name("ratio"), square("vs")),
                mul(("sin", name("tilt")), self.per(2), self.wave()),
            ]

    def inputs(self, L: list[Tree]) -> None:
        """Inputs where they are asked for, each driven."""
        rng = self.rng
        where = [p for p in PLACES if p in self.has]
        by = [d for d in DRIVES if d in self.has]
        where = where or ([rng.choice(PLACES[:2])] if by else [])
        where += ["input in a force"] * (len(by) - len(where))
        for i, place in enumerate(where):
            n = f"tau{i}"
            self.drives[n] = self.drive(by[i % len(by)] if by else rng.choice(DRIVES), place)
            if place == "input in L":
                L.append(mul(name(n), rng.choice((self.wave(), self.fast(), mul(self.wave(), self.fast())))))
            elif place == "input in a force":
                self.push(self.fast(), name(n), self.bounded())
            else:
                self.rows[0].append(mul(Fraction(1, 2), name(n)))

    def drive(self, by: str, place: str) -> Drive:
        """What drives an input; where velocities would jump with it a table is joined by lines."""
        rng = self.rng
        if by == DRIVES[0]:
            return Drive(number=round(rng.uniform(-0.8, 0.8), 3))
        if by == DRIVES[1]:
            return Drive(formula=add(Fraction(1, 5), mul(Fraction(1, 2), self.pulse())))
        kind = "hold" if place == "input in a force" and rng.random() < 0.6 else "linear"
        values = tuple(round(rng.uniform(-0.8, 0.8), 2) for _ in KNOTS)
        return Drive(times=tuple(self.t0 + knot for knot in KNOTS), values=values, kind=kind)

    def start(self) -> tuple[dict[str, float], dict[str, str]]:
        """A start: all but what rows determine."""
        rng, found = np.random.default_rng(self.seed), dict[str, float]()
        for f in self.space:
            found |= {n: float(v[0]) for n, v in f.sample(rng, 1).items()}
            found |= {u: float(rng.uniform(-0.8, 0.8)) for u in f.u}
        found |= {n: round(v / 2 if n in "sxyzap" else v, 3) for n, v in found.items() if n[0] in "sxyzapfov"}
        found["vs"] = round(float(rng.choice((-1, 1)) * rng.uniform(0.8, 1.1)), 3)
        found |= {n: 0.0 for gap in self.gaps for n in (gap, f"v{gap}")}
        units = {"s": "17 deg"} if "units" in self.has else {}
        found |= {"s": float(np.deg2rad(17))} if units else {}
        return {n: v for n, v in found.items() if n not in self.leads}, units
