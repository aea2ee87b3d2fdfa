"""Valid system files, drawn from a grammar of their own: spaces, parameters, laws, runs, sweeps, comparisons, fits.

A file is written from a recipe (`agreement.invent`) without the library's writer, so that what was read of it can be
held against the recipe: L, the constraints and the forces have the values that jets of the recipe give.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from dalembert.calculus.graph import evaluate
from dalembert.study import Study

from .agreement.charts import Factor
from .agreement.invent import invent
from .agreement.plain import Plain
from .agreement.recipe import Recipe, Terms
from .agreement.trees import Tree, add, holds, to_text


def drawn(rng: random.Random) -> Recipe:
    """A recipe that can be written as text: no entries of rotations, no frame to be differentiated."""
    while True:
        recipe = invent(rng.randrange(10**12))
        trees = [*recipe.lagrangian, *(t for _, terms in recipe.constraints for t in terms)]
        trees += [t for law in recipe.forces for t in (*law.along, *law.size)]
        if not any(f.kind == "frame" for f in recipe.factors) and not any(holds(t, "R") for t in trees):
            return recipe


def toml(recipe: Recipe, rng: random.Random) -> str:
    """The file."""
    spelt = {u: f"dot({q})" for f in recipe.factors if f.kind == "plain" for q, u in zip(f.q, f.u, strict=True)}

    def text(tree: Tree) -> str:
        return f'"{to_text(tree, spelt)}"'

    lines = ["schema = 1", *(['title = "drawn"'] if rng.random() < 0.3 else [])]
    for factor in recipe.factors:
        lines += ["", "[[space.factor]]", _factor(factor)]
    lines += ["", "[parameters]"] if recipe.parameters else []
    for n, v in recipe.parameters:
        lines.append(rng.choice((f"{n} = {v}", f'{n} = {{ value = {v}, sign = "positive" }}')))
    lines += ["", "[lagrangian]", f"L = {text(add(*recipe.lagrangian))}"]
    for n, terms in recipe.constraints:
        lines += ["", "[[constraint]]", f'name = "{n}"', f"phi = {text(add(*terms))}"]
    for law in recipe.forces:
        lines += ["", *_force(law, text)]
    return "\n".join([*lines, *_asked(recipe, rng, spelt), ""])


def _names(names: tuple[str, ...]) -> str:
    return "[" + ", ".join(f'"{n}"' for n in names) + "]"


def _factor(f: Factor) -> str:
    """One line of ``[[space.factor]]``."""
    velocities = f"velocities = {_names(f.u)}"
    if f.kind == "plain" and f.frame == "plane":
        return f"plane = {{ names = {_names(f.q)}, {velocities} }}"
    if f.kind == "plain":
        kind = "angle" if f.frame == "angle" else "line"
        pairs = zip(f.q, f.u, strict=True)
        return "coordinates = { " + ", ".join(f'{q} = {{ kind = "{kind}", velocity = "{u}" }}' for q, u in pairs) + " }"
    if f.kind == "SE2":
        return f'SE2 = {{ names = {_names(f.q)}, {velocities}, frame = "{f.frame}" }}'
    if f.kind == "SE3":
        return f'SE3 = {{ names = {_names(f.q[:3])}, rotation = "{f.name}", {velocities}, frame = "{f.frame}" }}'
    if f.kind == "direction":
        return f'direction = {{ name = "{f.name}", {velocities} }}'
    attitude = "matrix" if f.matrix else "quaternion"
    return f'rotation = {{ name = "{f.name}", {velocities}, frame = "{f.frame}", attitude = "{attitude}" }}'


def _force(law: Any, text: Any) -> list[str]:
    along = "[" + ", ".join(map(text, law.along)) + "]"
    if law.kind == "given":
        return ["[[force]]", f"components = {{ {text(law.along[0])} = {text(law.size[0])} }}"]
    if law.kind == "applied":
        return ["[[force]]", f"velocity = {along}", "force = [" + ", ".join(map(text, law.size)) + "]"]
    if law.kind == "rayleigh":
        return ["[[force]]", f"dissipation = {text(law.along[0])}"]
    if law.kind == "viscous":
        return ["[[friction.viscous]]", f"velocity = {along}", f"coefficient = {text(law.size[0])}"]
    rolling = ["[[friction.rolling]]", f"slip = {along}", f"coefficient = {text(law.size[0])}", 'load = "1"']
    return [*rolling, 'regularised = "1/8"'] if law.regularised else rolling


def _asked(recipe: Recipe, rng: random.Random, spelt: dict[str, str]) -> list[str]:
    """Entries of each kind; whether a start is consistent is not asked of a file's reader."""
    start = {spelt.get(n, n): round(rng.uniform(-1, 1), 3) for f in recipe.factors for n in _started(f)}
    given = "{ " + ", ".join(f'"{n}" = {v}' for n, v in start.items()) + " }"
    lams = [f'"lam_{n}" = 0' for n, _ in recipe.constraints]
    full = given[:-2] + "".join(f", {lam}" for lam in lams) + " }"
    first = next(iter(start))
    axis = given.replace(f'"{first}" = {start[first]}', f'"{first}" = "0:1:{rng.randint(2, 9)}"')
    tables = {
        "run": ['name = "r"', 'principle = "nonholonomic"', f"start = {given}", f"until = {rng.randint(1, 9)}"],
        "compare": ['name = "c"', 'principles = ["nonholonomic", "vakonomic"]', f"start = {full}", "until = 1"],
        "sweep": ['name = "s"', 'principle = "nonholonomic"', f"start = {axis}", "until = 0.5"],
        "family": ['principle = "gauss"', f'parameter = "{first}"', "over = [-2, 2]", f"start = {given}"],
        "fit": ['name = "f"', 'principles = ["nonholonomic"]', f'free = ["{first}"]', f"start = {given}"],
    }
    return [line for n, rows in tables.items() if rng.random() < 0.5 for line in ("", f"[[{n}]]", *rows)]


def _started(f: Factor) -> tuple[str, ...]:
    return f.u if f.kind in ("rotation", "direction") else (*f.q[:3], *f.u) if f.kind == "SE3" else (*f.q, *f.u)


def differs(recipe: Recipe, study: Study, seed: int) -> str:
    """What of the study has another value than the recipe, or nothing."""
    system = study.system
    rng = np.random.default_rng(seed)
    at = {n: v for f in recipe.factors for n, v in f.sample(rng, 1).items()}
    at |= {u: rng.uniform(-1, 1, 1) for u in recipe.velocities} | {"t": rng.uniform(0, 1, 1)}
    plain = Plain(recipe, at)
    values = {n: float(v[0]) for n, v in at.items()} | dict(recipe.parameters)
    trees: list[tuple[str, Terms, Any]] = [("L", recipe.lagrangian, system.lagrangian)]
    trees += [(n, terms, c.given) for (n, terms), c in zip(recipe.constraints, system.constraints, strict=True)]
    for name, terms, read in trees:
        expected, found = plain.jet(terms).f[0], float(evaluate([system.algebra.read(read)], values)[0])
        if not abs(found - expected) <= 1e-10 * (1 + abs(expected)):
            return f"{name} is {found}, not {expected}, at {values}"
    # Q along sdot: Q_a du^a/dsdot
    Q = np.array(evaluate([system.algebra.read(e) for e in system.forces], values), float)
    turned = sum(q * plain.here[u].d[plain.k : 2 * plain.k, 0] for q, u in zip(Q, recipe.velocities, strict=True))
    wanted = sum((plain.force(law)[:, 0] for law in recipe.forces), np.zeros(plain.k))
    off = float(np.abs(turned - wanted).max())
    return "" if off <= 1e-10 * (1 + np.abs(wanted).max()) else f"the forces are off by {off} at {values}"
