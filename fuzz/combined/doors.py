"""Ways through the library: how equations are made of a drawn system, and what is asked of them.

A way in takes a `Case` and gives a `Made`: equations, where to start, and where the plain route ends in their states.
A way out takes both and gives how far the answer is off, in units of what is allowed; `NotAsked` where the question
makes no sense of this system.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import count, pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import sympy as sp
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.apps.explore import kernels
from dalembert.principles.principle_table import named

from ..agreement import programs
from ..agreement.routes import FORMS, WEAK
from ..agreement.trees import add, names_in, to_sympy
from ..pages import ask, in_node
from .drawn import KNOTS, SPAN, Drawn
from .truth import ATOL, Truth

RTOL, BOUND, SLOPES, SHIFT = 1e-11, 1e-8, 1e-6, 1e-3
STENCIL = ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12))  # f' = sum w f(x + k h) / h + O(h^4)
NUMBERS, NODE = count(), shutil.which("node")
State = dict[str, float]


class NotAsked(Exception):
    """The question makes no sense of this system."""


class Refused(Exception):
    """The library says that it cannot go on."""


@dataclass(frozen=True)
class Case:
    """A drawn system, from two starts: its own, and one a little faster."""

    drawn: Drawn
    folder: Path

    @cached_property
    def system(self) -> da.System:
        """The library's."""
        return self.drawn.system()

    @property
    def end(self) -> float:
        """When it ends."""
        return self.drawn.t0 + SPAN

    @cached_property
    def truth(self) -> Truth:
        """The plain route."""
        return Truth(self.drawn)

    @cached_property
    def motions(self) -> tuple[list[State], list[State]]:
        """Starts and ends of the two."""
        return motions(self.truth)

    def now(self, t: float) -> State:
        """The inputs at a time."""
        return {n: of_time(d.of_time(t))(t) for n, d in self.drawn.drives.items()}


def of_time(tree: Any) -> Callable[[float], float]:
    """A tree of t, and of hz, which is 1, as a function."""
    e = to_sympy(tree, {"t": sp.Symbol("t"), "hz": sp.S.One}, lambda _: None)
    return lambda t: float(e.subs("t", t))


def motions(truth: Truth) -> tuple[list[State], list[State]]:
    """States by name at the beginning and at the end."""
    v = truth.drawn.start["vs"]
    starts = truth.begun({"vs": np.array([v, v + 0.05 * np.sign(v)])})
    return rows(starts), rows(truth.run(starts))


def rows(columns: Mapping[str, np.ndarray]) -> list[State]:
    """States one by one."""
    return [{n: float(v[i]) for n, v in columns.items()} for i in range(len(columns["s"]))]


@dataclass(frozen=True)
class Made:
    """Equations on one way.

    Attributes:
        equations: the library's.
        starts, ends: of both motions, in their states.
        given: the first start as a user writes it.
        truth: the plain route, where the states are those of the system as drawn; else None.
        back: from a run's path and its full start to the motion as drawn.
    """

    equations: Any
    starts: list[State]
    ends: list[State]
    given: Mapping[str, Any]
    truth: Any = None
    back: Callable[[Any], Any] | None = None


def off(got: Mapping[str, Any], want: Mapping[str, float], bound: float = BOUND) -> float:
    """How far numbers are off, in units of what is allowed."""
    worst = max(abs(float(got[n]) - v) / (1 + abs(v)) for n, v in want.items())
    return worst / bound if np.isfinite(worst) else np.inf


# --- ways in ---------------------------------------------------------------------------------------------------------


def whole(case: Case, equations: Any, principle: str = "nonholonomic") -> Made:
    """Equations in the states as drawn."""
    d = case.drawn
    truth = case.truth if principle == "nonholonomic" else Truth(d, principle)
    starts, ends = case.motions if principle == "nonholonomic" else motions(truth)
    lams = {n: v for n, v in starts[0].items() if n.startswith("lam_")}
    given = {**d.start, **d.start_units, **lams, "t": d.t0}
    return Made(equations, starts, ends, given, truth)


def by_form(principle: str) -> Callable[[Case], Made]:
    """A form of the equations."""

    def made(case: Case) -> Made:
        made = whole(case, named(principle)(case.system), "vakonomic" if principle == "vakonomic" else "nonholonomic")
        if getattr(made.equations, "dependent", ()):
            values = {n: np.array([v]) for n, v in {**made.starts[0], **case.drawn.values, "t": case.drawn.t0}.items()}
            values |= {n: np.array([v]) for n, v in case.now(case.drawn.t0).items()}
            if (made.equations.share(values) < WEAK).any():
                raise NotAsked("the form is singular there")
        return made

    return made


def by_file(case: Case) -> Made:
    """Written to a file and read again."""
    file = case.folder / f"system{next(NUMBERS)}.toml"
    da.write(case.system, file, comments=False)
    return whole(case, da.nonholonomic(da.read(file).system))


def by_copy(case: Case) -> Made:
    """A copy with another title."""
    return whole(case, da.nonholonomic(case.system.changed(title="copy")))


def along(case: Case, Z: Any, names: list[str], velocities: list[str], state: State, t: float) -> State:
    """Coefficients v of velocities u = Z v."""
    values = {**state, **case.drawn.values, **case.now(t), "t": t}
    for n in case.drawn.formulas:
        values[n] = values["m1"] * values["r"] ** 2
    numbers = np.array(sp.Matrix(Z).subs({s: values[s.name] for s in Z.free_symbols}), float)
    u = np.array([state[n] for n in names])
    return dict(zip(velocities, np.linalg.lstsq(numbers, u, rcond=None)[0].tolist(), strict=True))


def by_restriction(case: Case) -> Made:
    """Without its rows."""
    small = da.symmetry.restrict(case.system)
    space, names = small.system.space, [u.name for u in case.system.space.velocities]

    def there(state: State, t: float) -> State:
        v = along(case, small.Z, names, [s.name for s in space.velocities], state, t)
        return {q.name: state[q.name] for q in space.coordinates} | v

    return _small(case, da.free(small.system), there)


def _small(case: Case, equations: Any, there: Callable[[State, float], State], back: Any = None) -> Made:
    starts, ends = (
        [there(s, t) for s in each] for each, t in zip(case.motions, (case.drawn.t0, case.end), strict=True)
    )
    return Made(equations, starts, ends, {**starts[0], "t": case.drawn.t0}, None, back)


def by_reduction(case: Case) -> Made:
    """Reduced, and brought back."""
    reduction = da.reduce(case.system)
    shaping = any(n in case.system.shaping for n in case.drawn.drives)

    def there(state: State, t: float) -> State:
        inputs = case.now(t) if shaping else None
        found = da.reduced_start(reduction, {**state, "t": t}, inputs=inputs)
        return {n: v for n, v in found.items() if n != "t"}

    def back(path: Any) -> Any:
        return da.reconstruct(reduction, path, {**case.motions[0][0], "t": case.drawn.t0})

    return _small(case, da.nonholonomic(reduction.system), there, back)


def by_splitting(case: Case) -> Made:
    """On the frame of H, S and U."""
    split = da.symmetry.splitting(case.system)
    reduced, T = split.quotient.system, sp.Matrix.hstack(split.H, split.S, split.U)
    names, new = [u.name for u in reduced.space.velocities], [u.name for u in split.system.space.velocities]
    if not {*names} <= {*case.drawn.recipe.velocities} or split.quotient.carried:
        raise NotAsked("the frame is carried along")

    def there(state: State, t: float) -> State:
        found = shape_at(split.quotient, state)
        return found | along(case, T, names, new, {**state, **found}, t)

    return _small(case, da.nonholonomic(split.system), there)


def shape_at(quotient: Any, state: State) -> State:
    """The shape at a state."""
    return {
        q.name: float(e.subs({s: state[s.name] for s in e.free_symbols})) for q, e in quotient.shape.meaning.items()
    }


def by_phase(case: Case) -> Made:
    """Positions and momenta; what is asked is their motion alone (`phase`)."""
    phase = da.symmetry.phase_space(case.system)
    space, names = phase.system.space, [u.name for u in case.system.space.velocities]
    Z = da.symmetry.restrict(case.system).Z if case.system.constraints else sp.eye(len(names))
    constants = {**case.drawn.values, **{n: v for n, v in case.system.values().items() if v is not None}}

    def there(state: State, t: float) -> State:
        v = along(case, Z, names, [s.name for s in space.velocities], state, t)
        values = {**state, **v, **constants, "t": t}
        p = {p.name: float(e.subs({s: values[s.name] for s in e.free_symbols})) for p, e in phase.momenta.items()}
        return {q.name: state[q.name] for q in space.coordinates} | p

    made = _small(case, phase, there)
    rates = [
        e.subs({s: constants[s.name] for s in e.free_symbols if s.name in constants}) for e in phase.rates.values()
    ]
    f = sp.lambdify([sp.Symbol("t", real=True), list(phase.rates)], rates, "math")
    return replace(made, back=lambda y0: _solved(f, case, [y0[z.name] for z in phase.rates]))


def _solved(f: Callable[..., Any], case: Case, y0: list[float]) -> np.ndarray:
    done = solve_ivp(f, (case.drawn.t0, case.end), y0, "DOP853", rtol=RTOL, atol=ATOL)
    return np.asarray(done.y[:, -1])


WAYS_IN: dict[str, Callable[[Case], Made]] = {
    "multipliers": by_form("nonholonomic"),
    **{n: by_form(n) for n in (*FORMS, "vakonomic", "free")},
    **{"file": by_file, "copy": by_copy, "restrict": by_restriction},
    **{"reduce": by_reduction, "splitting": by_splitting, "phase space": by_phase},
}

# --- ways out --------------------------------------------------------------------------------------------------------


def simulated(case: Case, made: Made, start: Any = None, until: float | None = None, **options: Any) -> Any:
    """A run; `Refused` where it ends before its time."""
    options = options if "step" in options else {"rtol": RTOL, **options}
    end = case.end if until is None else until
    given = made.given if start is None else start
    path = da.simulate(made.equations, given, until=end, inputs=case.drawn.inputs() or None, **options)
    if path.t[-1] < end - 1e-9:
        raise Refused(f"run ended: {path.outcome[:40]}")
    return path


def run(case: Case, made: Made, **options: Any) -> float:
    """The end of a run, and of the motion it is brought back to."""
    if not hasattr(made.equations, "states"):  # positions and momenta, with rates of their own
        rates = [z.name for z in made.equations.rates]
        return off(dict(zip(rates, made.back(made.starts[0]), strict=True)), made.ends[0])  # type: ignore[misc]
    if "atol" in options:
        options["atol"] = dict.fromkeys(made.equations.states, 1e-13)
    path = simulated(case, made, **options)
    found = off(path.at(case.end), made.ends[0])
    if made.back is not None:
        found = max(found, off(made.back(path).at(case.end), case.motions[1][0]))
    return found


def fixed(case: Case, made: Made, method: str) -> float:
    """A method of fixed steps, with two of them: (4 x(h/2) - x(h))/3, to a share of their difference."""
    ends = [simulated(case, made, method=method, step=SPAN / n).at(case.end) for n in (60, 120)]
    apart = max(abs(ends[0][n] - ends[1][n]) for n in made.ends[0])
    better = {n: (4 * ends[1][n] - ends[0][n]) / 3 for n in made.ends[0]}
    return off(better, made.ends[0], max(BOUND, 0.05 * apart))


def resumed(case: Case, made: Made) -> float:
    """Half of a run, and the rest from its last row."""
    half = case.drawn.t0 + KNOTS[1]
    path = simulated(case, made, until=half)
    return off(simulated(case, made, start=path.at(half)).at(case.end), made.ends[0])


def stored(case: Case, made: Made) -> float:
    """A run that was saved and loaded."""
    file = case.folder / f"path{next(NUMBERS)}.npz"
    simulated(case, made).save(file)
    return off(da.load(file).at(case.end), made.ends[0])


def swept(case: Case, made: Made) -> float:
    """Both motions as members of a sweep."""
    now, inputs = case.now(case.drawn.t0) or None, case.drawn.inputs() or None
    if made.truth is not None:
        starts: Any = {**made.given, "vs": [s["vs"] for s in made.starts]}
    else:
        starts = [made.equations.start(**s, t=case.drawn.t0, inputs=now) for s in made.starts]
    found = da.sweep(made.equations, starts=starts, until=case.end, inputs=inputs, rtol=RTOL)
    codes = np.ravel(found["outcome"].values)
    if (codes > 1).any():
        raise Refused(f"E{codes.max()}")
    return max(off({n: np.ravel(found[n].values)[i] for n in e}, e) for i, e in enumerate(made.ends))


def planted(case: Case, made: Made) -> float:
    """Step by step."""
    plant = da.plant(made.equations, made.given, step=0.1, rtol=RTOL)
    for i in range(6):
        state = plant.step(case.now(case.drawn.t0 + 0.1 * i) or None)
    return off(state, made.ends[0])


def planted_together(case: Case, made: Made) -> float:
    """Both motions step by step."""
    starts = [made.equations.start(**s, t=case.drawn.t0, inputs=case.now(case.drawn.t0) or None) for s in made.starts]
    plants = da.plants(made.equations, starts, step=0.1, rtol=RTOL)
    for i in range(6):
        state = plants.step(case.now(case.drawn.t0 + 0.1 * i) or None)
    return max(off({n: state[n][i] for n in e}, e) for i, e in enumerate(made.ends))


def sensitive(case: Case, made: Made) -> float:
    """Derivatives by a speed at the start and by a mass, against differences; of two steps, since these err too."""
    inputs = case.drawn.inputs() or None
    found = da.sensitivities(made.equations, made.given, until=case.end, by=["vs", "m1"], inputs=inputs, rtol=RTOL)
    apart = 0.0
    for h in (SHIFT, SHIFT / 2):
        want = _differences(case, made, h)
        apart = off({(n, by): found[n, by][-1] for n, by in want}, want, SLOPES)  # type: ignore[arg-type]
        if apart <= 1:
            break
    return apart


def _differences(case: Case, made: Made, h: float) -> dict[tuple[str, str], np.ndarray]:
    """Of the ends, by the speed and by the mass."""
    truth = made.truth
    shifted = truth.run(truth.begun({"vs": case.drawn.start["vs"] + h * np.array([k for k, _ in STENCIL])}))
    heavier = []
    for k, _ in STENCIL:
        other = replace(truth, values={"m1": case.drawn.values["m1"] + k * h})
        heavier.append(rows(other.run(other.begun()))[0])
    return {
        (n, by): sum(w * e for (_, w), e in zip(STENCIL, each, strict=True)) / h
        for n in made.ends[0]
        for by, each in (("vs", shifted[n]), ("m1", [e[n] for e in heavier]))
    }


def frozen(case: Case, truth: Truth, t: float, bare: bool = False) -> Truth:
    """With inputs that stand still as they are at a time; `bare`: without surfaces."""
    truth = replace(truth, driven={n: Fraction(v) for n, v in case.now(t).items()})
    return replace(truth, drawn=replace(truth.drawn, walls=(), touches=())) if bare else truth


def linear(case: Case, made: Made) -> float:
    """The matrix about the start, against differences of the rates."""
    t = case.drawn.t0
    truth = frozen(case, made.truth, t)
    model = da.linearise(made.equations, made.given, inputs=case.now(t) or None)
    first, h = made.starts[0], 1e-3
    moves = [(n, k) for n in model.states for k, _ in STENCIL]
    at = {n: np.array([first[n] + (k * h if n == m else 0.0) for m, k in moves]) for n in truth.names}
    at = truth.held(_on_spheres(case, at, first, model.states), t)
    rates = dict(zip(truth.names, truth.rates(truth.recipe(t), t, at), strict=True))
    weights = np.array([w for _, w in STENCIL]) / h
    want = np.stack([rates[n].reshape(-1, 4) @ weights for n in model.states])
    scale = 1 + np.abs(want).max()
    return float(np.abs(model.A - want).max() / scale / SLOPES)


def _on_spheres(case: Case, at: dict[str, np.ndarray], first: State, free: tuple[str, ...]) -> dict[str, np.ndarray]:
    """With the one coordinate of a quaternion or direction that is not free."""
    for f in case.drawn.recipe.factors:
        group = f.q if f.kind == "direction" else f.q[-4:] if f.kind in ("rotation", "SE3") else ()
        if f.matrix:
            raise NotAsked("the entries of a matrix are not free")
        for n in set(group) - {*free}:
            others = sum(at[m] ** 2 for m in group if m != n)
            at = {**at, n: np.sign(first[n]) * np.sqrt(1 - others)}
    return at


def evaluated(case: Case, made: Made) -> float:
    """Accelerations at the start."""
    if case.drawn.touches:
        raise NotAsked("it says that what a closed contact pushes with is left out (W803)")
    t = case.drawn.t0
    truth = frozen(case, made.truth, t)
    found = made.equations.evaluate(made.given, inputs=case.now(t) or None)["accelerations"]
    return off(found, {n: v for n, v in _rates(truth, made.starts[0], t).items() if n in found}, BOUND)


def _rates(truth: Truth, state: State, t: float) -> State:
    at = {n: np.array([state[n]]) for n in truth.names}
    return dict(zip(truth.names, truth.rates(truth.recipe(t), t, at, guard=False)[:, 0].tolist(), strict=True))


def called(case: Case, made: Made) -> float:
    """`to_callable`, integrated by SciPy."""
    f = made.equations.to_callable(case.now(0.0) or None)
    end = _solved(f, case, [made.starts[0][n] for n in made.equations.states])
    return off(dict(zip(made.equations.states, end, strict=True)), made.ends[0])


def in_python(case: Case, made: Made) -> float:
    """The generated module, integrated by SciPy."""
    program, y, driven = _module(made.equations), [made.starts[0][n] for n in made.equations.states], case.drawn.drives
    p = {n: v for n, v in program["PARAMETERS"].items() if v is not None}
    knots = [case.drawn.t0 + k for k in (*KNOTS[:3], SPAN)]
    for a, b in pairwise(knots):
        at = {n: of_time(d.of_time(a)) for n, d in driven.items()}

        def rhs(t: float, y: np.ndarray, at: Mapping[str, Callable[[float], float]] = at) -> list[float]:
            rates: list[float] = program["rhs"](t, list(y), {**p, **{n: f(t) for n, f in at.items()}})
            return rates

        y = solve_ivp(rhs, (a, b), y, "DOP853", rtol=RTOL, atol=ATOL).y[:, -1]
    return off(dict(zip(program["STATES"], y, strict=True)), made.ends[0])


def _module(equations: Any) -> dict[str, Any]:
    """The names of the generated module."""
    program: dict[str, Any] = {"__name__": "program"}
    exec(compile(equations.to_python(), "program", "exec"), program)
    return program


def _questions(case: Case, made: Made) -> list[tuple[float, State, State]]:
    """Times, states, and their rates by the plain route, with inputs that stand still."""
    truth, asked = made.truth, []
    for t, state in ((case.drawn.t0, made.starts[0]), (case.end, made.ends[0])):
        asked.append((t, state, _rates(frozen(case, truth, t, bare=True), state, t)))
    return asked


def in_javascript(case: Case, made: Made) -> float:
    """Rates by the generated program, in node."""
    asked, e = _questions(case, made), made.equations
    text = e.to_javascript()
    text = text[: text.index("function step")].rpartition("/**")[0]
    lines = [f"put({t!r}, {[state[n] for n in e.states]!r}, {json.dumps(case.now(t))});" for t, state, _ in asked]
    put_ = (
        "function put(t, y, w) { const p = Object.keys(PARAMETERS).map((n) => n in w ? w[n] : PARAMETERS[n]);"
        " const out = y.map(() => 0.0); rhs(t, y, p, out); console.log(JSON.stringify(out)); }"
    )
    file = case.folder / f"program{next(NUMBERS)}.js"
    file.write_text("\n".join([text, put_, *lines]), encoding="utf-8")
    done = subprocess.run(["node", str(file)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-300:])
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return max(off(dict(zip(e.states, row, strict=True)), want) for row, (_, _, want) in zip(found, asked, strict=True))


def in_c(case: Case, made: Made) -> float:
    """Rates by the generated program, compiled."""
    questions, e, n = _questions(case, made), made.equations, next(NUMBERS)
    names = list(_module(e)["PARAMETERS"])
    known = [{**case.drawn.values, **case.now(t)} for t, _, _ in questions]
    asked = [
        (t, [y[m] for m in e.states], [p[m] for m in names]) for (t, y, _), p in zip(questions, known, strict=True)
    ]
    like = SimpleNamespace(equations=e, recipe=case.drawn.recipe, rows=asked, split=lambda rates, _: rates)
    [found] = programs.ask([(n, like)], [e.to_c()], case.folder)  # type: ignore[list-item]
    each = zip(np.asarray(found), questions, strict=True)
    return max(off(dict(zip(e.states, row, strict=True)), want) for row, (_, _, want) in each)


PAGE = """
const motion = solveMotion(NAME, KERNELS, {}, {}, RULES), found = motion.columns(null, TIMES);
for (const column in found) found[column] = Array.from(found[column]);
console.log(JSON.stringify({ found, end: motion.end, why: String(motion.why) }));
"""


def in_page(case: Case, made: Made) -> float:
    """The motion of the live page, in node."""
    word = made.equations.principle
    more = {"start": made.starts[0], "t": case.drawn.t0, "until": case.end, "parameters": case.now(0.0)}
    text = kernels(made.equations.system, [word], **more)
    rules = {"until": case.end, "rtol": 1e-12, "maxSteps": 10000}
    told: Any = ask(text, PAGE, {"NAME": word, "TIMES": [case.end], "RULES": rules}, in_node)
    if told["end"] < case.end - 1e-9:
        raise Refused(f"page ended: {told['why'][:40]}")
    return off({n: told["found"][n][-1] for n in made.ends[0]}, made.ends[0])


WAYS_OUT: dict[str, Callable[[Case, Made], float]] = {
    "run": run,
    "run, all states": partial(run, atol=1e-13),
    "taylor": partial(run, method="taylor"),
    "radau": partial(run, method="radau"),
    "drift": partial(run, stabilisation=da.methods.Drift()),
    **{n: partial(fixed, method=n) for n in ("dla", "discrete_gradient", "symmetric_projection")},
    **{"resumed": resumed, "stored": stored, "sweep": swept, "plant": planted, "plants": planted_together},
    **{"sensitivities": sensitive, "linearise": linear, "evaluate": evaluated, "callable": called},
    **{"python": in_python, "c": in_c, "javascript": in_javascript, "page": in_page},
}


# --- what is asked ---------------------------------------------------------------------------------------------------

SMALL = ("restrict", "reduce", "splitting", "phase space")  # whose states are other ones
AS_DRAWN = ("sensitivities", "linearise", "evaluate", "c", "javascript", "page")  # ways out that need those as drawn
SHOWN = ("multipliers", "vakonomic", "file", "copy")  # of which there are pages


def why_not(drawn: Drawn, way_in: str, way_out: str) -> tuple[str, str] | None:
    """The door of two that makes no sense of this system, and why; None where both do."""
    surfaces = bool(drawn.walls or drawn.touches)
    numbers = all(d.number is not None for d in drawn.drives.values())
    steps = all(d.number is not None or d.kind == "hold" for d in drawn.drives.values())
    shaped = [*drawn.recipe.lagrangian, *(e for _, terms in drawn.recipe.constraints for e in terms)]
    shaping = bool({*drawn.drives} & names_in(add(*shaped)))
    reasons = (
        (way_in == "free" and drawn.recipe.constraints, way_in, "there are rows"),
        (way_in == "phase space" and (drawn.recipe.forces or surfaces or drawn.drives), way_in, "it knows no forces"),
        (way_in == "phase space" and way_out != "run", way_out, "its states are other ones"),
        (way_in in SMALL and way_out in AS_DRAWN, way_out, "its states are other ones"),
        (way_out == "page" and way_in not in SHOWN, way_in, "pages show principles"),
        (way_out == "page" and drawn.touches, way_out, "pages refuse contacts"),
        (way_out in ("callable", "page") and not numbers, way_out, "its inputs are numbers"),
        (way_out in ("plant", "plants") and not steps, way_out, "inputs stand still in a step"),
        (way_out in ("callable", "python") and surfaces, way_out, "whatever integrates it passes through surfaces"),
        (way_out == "python" and shaping and not numbers, way_out, "its inputs stand still"),
        (way_out == "c" and not programs.COMPILER, way_out, "no compiler"),
        (way_out in ("javascript", "page") and not NODE, way_out, "no node"),
    )
    return next(((door, reason) for cannot, door, reason in reasons if cannot), None)
