"""What a page computes with: each principle's functions as JavaScript, of the same plans that runs are compiled from.

Each principle is an object. What moves is a row (states, work); a *full* row is that of the equations, (q, u, lam,
work), and where a lean form is integrated its own row is shorter.

    forms      the lean form, where there is one, then the equations as written; each has rhs, project, guards, ...
    observe    of full rows: multipliers that are no states, the energy, kept quantities
    watch      each constraint's residual and the size of its terms
    places, speeds     relations of positions and constraints on velocities, with their slopes: for starts
    jumps      new values of states at the events that have such
    touch      what contacts impose; a motion with contacts has forces among its states, as `contacts` tells
    draw       of each body 12 numbers of its frame and 3 half sizes; then the traced points
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TypedDict

import sympy as sp

from ...calculus.frame import TIME
from ...calculus.from_sympy import read
from ...calculus.graph import Graph, Node, evaluate, gradient, substitute
from ...calculus.substitution import carried
from ...equations import Equations, Lean, Start
from ...equations.code import javascript
from ...equations.code.listing import CodeTask, solved
from ...equations.contact_modes import NEWTON, refuse_contacts
from ...equations.determinacy import slip_speeds
from ...equations.residual_scale import FLOOR
from ...event import STOP, Event
from ...model.system import System
from ...numerics.events.guard import Guard, compile_guards, internal_event, switches, with_walls
from ...numerics.machine.llvm_ir import Inputs
from ...numerics.methods.method import LEAN_LIMIT, MARGIN_LIMIT
from ...numerics.policy import Policy
from ...numerics.run.resting_guards import AT_REST
from ...numerics.vector_field.compiled_kernel import ELIMINATED, pivoting, planned
from ...numerics.vector_field.constraint_projection import USUAL, WORK
from ...numerics.vector_field.kernel_plan import PREAMBLE, KernelPlan
from ...scene import poses
from ...study import Study
from .. import runs

# --- contacts --------------------------------------------------------------------------------------------------------
# A full row of such a motion is (q, u, forces, work): reactions of the constraints, then the forces of each contact.


def forces(equations: Equations) -> list[str]:
    """The columns of forces that a motion with contacts has beside its states.

    Raises:
        InvalidValue: E139, contacts of motions that have no modes.
    """
    found = equations.contacts
    if found is None:
        refuse_contacts(equations, "a page steps contacts of nonholonomic and free motions")
        return []
    lam = [equations.constraints[s].multiplier.name for s in equations.kept]
    return [*lam, *(name for law in found.laws.values() for name in law.columns)]


def laws(equations: Equations) -> list[dict[str, object]]:
    """Each contact, and its spin and its rolling: whose normal force it has, how it may push, how many slips it has."""
    if equations.contacts is None:
        return []
    found = equations.contacts.laws
    at = {name: i for i, name in enumerate(found)}
    return [
        {
            "name": name,
            "master": at[law.master],
            "pushes": law.master == name and law.load is None,
            "sides": law.sides,
            "slips": len(law.slip),
        }
        for name, law in found.items()
    ]


def imposed(equations: Equations) -> CodeTask:
    """W, f, the power of the forces, E u; of each constraint its place, phi and N; of each contact what it imposes.

    That is the gap and the size of its terms, mu, mu_static, restitution and load; then its rate and its slips, each
    before its row of derivatives by the velocities.
    """
    if equations.contacts is None:
        return CodeTask(())
    graph, rows, apart = Graph(), equations.contacts.rows, equations.apart()
    machine, form, first = apart.machine, rows.form, len(equations.constraints)
    at = {s: [rows.phi[s], *form.N[s]] for s in range(len(rows.phi))}
    # reactions are counted by what they push: the rest is the power of the forces, and of what moves with time
    none = {mu.key[1]: machine.graph.constant(0) for mu in machine.mu}
    power = carried(substitute([machine.power], none), graph)
    nodes = carried([*(e for row in form.W for e in row), *form.f], graph) + power + carried(machine.qdot, graph)
    for s in equations.kept:
        place = machine.position.get(s, machine.graph.constant(0))
        nodes += carried([place], graph) + carried(at[s], graph)
    for i, law in enumerate(equations.contacts.laws.values()):
        nodes += carried([rows.gaps[i], rows.gap_sizes[i], *rows.coefficients[i], rows.loads[i]], graph)
        last = first + 1 + len(law.slip)
        nodes += carried([e for s in range(first, last) for e in at[s]], graph)
        first = last
    return CodeTask(tuple(nodes))


def said(equations: Equations) -> list[str]:
    """What a page says of how contacts are stepped."""
    if equations.contacts is None:
        return []
    step = "contacts are stepped with a fixed step, and their audit tells how far the energy is off by that"
    others = [name for name, law in equations.contacts.laws.items() if law.restitution != NEWTON and law.slip]
    law = f"impacts at {', '.join(others)} go by Newton's law here, where runs have another one"
    return [step, *([law] if others else [])]


# --- events, walls, friction that comes to rest, jumps of forces -----------------------------------------------------

NO_IMPACT = "the multipliers after the impact do not follow from the state"


class Told(TypedDict):
    """What the page is told of one guard; `sets` are places of states, `why` what a stop is for, `rows` how much a wall
    that acts at once with others imposes.
    """

    name: str
    then: str
    direction: int
    sets: list[int]
    why: str
    rows: int


@dataclass(frozen=True)
class Happenings:
    """Guards in the order in which the page has them: events and walls, laws at rest, surfaces on which a force jumps.

    Attributes:
        equations: of which they are.
        guards: as of `numerics.events`.
    """

    equations: Equations
    guards: tuple[Guard, ...]

    @classmethod
    def of(cls, equations: Equations, events: Sequence[Event]) -> Happenings:
        """Given events, and the walls of the system.

        Raises:
            WrongType, UnknownName, InvalidValue: E316 for events, E132 for walls.
        """
        form = equations.machine.form
        known = dict.fromkeys(sorted({*equations.system.symbols, *equations.system.parameters}))
        given = compile_guards(with_walls(events, equations, True), equations.states, known)
        if equations.contacts:  # steps of one length go over what jumps and what rests
            return cls(equations, tuple(given))
        slips = slip_speeds(equations)
        resting = [Guard(internal_event(f"{name}{AT_REST}", STOP, -1), speed) for name, speed in slips.items()]
        return cls(equations, (*given, *resting, *switches([*form.f, *form.g])))

    @property
    def told(self) -> list[Told]:
        """What is said of each."""
        return [self._told(guard) for guard in self.guards]

    def _told(self, guard: Guard) -> Told:
        event, states = guard.event, self.equations.states
        barred = event.impact is not None and bool(self.equations.states_of_multipliers)
        then = "mark" if guard.marks else "switch" if guard.switch else "jump" if event.jumps else "stop"
        if event.name.endswith(AT_REST) and not guard.switch:
            then = "rest"
        sets = [states.index(name) for name in guard.jump]
        if barred:
            return Told(name=event.name, then="stop", direction=event.direction, sets=[], why=NO_IMPACT, rows=0)
        rows = len(event.impact.rates) if event.impact is not None and event.impact.at_once else 0
        return Told(name=event.name, then=then, direction=event.direction, sets=sets, why="", rows=rows)

    def watched(self, states: Sequence[str], lean: Lean | None) -> tuple[CodeTask, CodeTask]:
        """The guards, and guard by guard their derivatives by the states and by time."""
        graph = Graph()
        values = [y for g in self.guards for y in carried([g.seen_by(lean).value], graph)]
        xs = [graph.symbol(name) for name in (*states, TIME.name)]
        return CodeTask(tuple(values)), CodeTask(tuple(d for y in values for d in gradient(y, xs)))

    @property
    def jumps(self) -> CodeTask:
        """The new values of all jumps, one after the other."""
        graph, found = Graph(), list[Node]()
        for guard, told in zip(self.guards, self.told, strict=True):
            found += carried(list(guard.jump.values()), graph) if told["sets"] else []
        return CodeTask(tuple(found))


USUAL_UNTIL = 10.0


@dataclass(frozen=True)
class ExploredMotion:
    """What is to be moved.

    Attributes:
        system: of which the equations are.
        start: values by name as `Equations.start` takes them; empty where nobody gave any.
        t, until: when it begins and ends.
        parameters: values that replace those of the system.
        events: besides the walls of the system.
        project: as of `Equations.start`.
    """

    system: System
    start: Mapping[str, object] = field(default_factory=dict)
    t: float = 0.0
    until: float = USUAL_UNTIL
    parameters: Mapping[str, object] = field(default_factory=dict)
    events: Sequence[Event] = ()
    project: str | None = None

    @classmethod
    def of(cls, given: Study | System, **more: object) -> ExploredMotion:
        """The motion of the first run or comparison of a study, or of a system alone; `more` replaces attributes."""
        scene = cls(given) if isinstance(given, System) else _of_study(given)
        return replace(scene, **more)  # type: ignore[arg-type]

    def begin(self, equations: Equations) -> Start | None:
        """The start under a principle: multipliers that nobody gave are 0, those that are no states are left out."""
        own = {s.name for s in equations.states_of_multipliers}
        given = {k: v for k, v in self.start.items() if not k.startswith("lam_") or k in own}
        if not given:
            return None
        given = {**dict.fromkeys(own, 0.0), **given}
        return equations.start(given, t=self.t, parameters=dict(self.parameters) or None, project=self.project)


def _of_study(study: Study) -> ExploredMotion:
    if not study.runs and not study.compares:
        return ExploredMotion(study.system)
    if not study.runs:
        both = study.compares[0]
        return ExploredMotion(study.system, both.start, both.t, both.until, both.parameters)
    run = study.runs[0]
    start = runs.start(study, run, run.principle).state if run.guess or run.hold else run.start
    return ExploredMotion(study.system, start, run.t, run.until, run.parameters, run.events, run.project)


def kernels(given: Study | System, principles: Sequence[str], **more: object) -> str:
    """An object of JavaScript with one object a principle, for `solveMotion`.

    Args:
        given: a study, of which the first run or comparison gives start, end and events; or a system.
        principles: by name.
        more: start, t, until, parameters, events, project, which replace those.

    Raises:
        DalembertError: what the principles and `Equations.start` raise.
    """
    scene, used = ExploredMotion.of(given, **more), set[str]()
    parts = [f"{_literal(name)}: {_principle(name, scene, used)}" for name in principles]
    return "(() => {\n" + javascript.helping(used) + "\nreturn {\n" + ",\n".join(parts) + "\n};\n})()"


@dataclass(frozen=True)
class Printed:
    """Functions of one principle, and what is said of them."""

    used: set[str]
    texts: list[str] = field(default_factory=list)

    def add(self, name: str, task: CodeTask, reads: Sequence[str], parameters: Sequence[str]) -> str:
        """Print one function; its name."""
        self.texts.append(javascript.function(name, task, reads, parameters, self.used))
        return name


def _principle(name: str, scene: ExploredMotion, used: set[str]) -> str:
    equations = runs.formed(scene.system, name)
    start, printed = scene.begin(equations), Printed(used)
    values = {} if start is None else {**start.parameters, **start.state, TIME.name: start.t}
    equations = equations.rows_at(values) if values else equations
    watch = Happenings.of(equations, scene.events)
    forms = [_form(printed, watch, plan, lean) for plan, lean in _plans(equations, values)]
    parts = [*_said(equations, scene, start), f"events: {_literal(watch.told)}", f"forms: [{', '.join(forms)}]"]
    parts += _functions(printed, equations, watch)
    return "(() => {\n" + "\n".join(printed.texts) + "\nreturn {\n" + ",\n".join(parts) + "\n};\n})()"


def _plans(equations: Equations, values: Mapping[str, float]) -> list[tuple[KernelPlan, Lean | None]]:
    """What is integrated: the lean form if there is one and nothing touches, and the equations as written."""
    found = list[tuple[KernelPlan, Lean | None]]()
    charts = None if equations.contacts else Policy().charts_of(equations)
    if charts is not None:
        found.append((planned(equations, USUAL, charts.first), charts.first))
    plan = planned(equations, USUAL)
    if values and not all(float(v) > 0 for v in evaluate(list(plan.pivots), values)):
        plan = planned(pivoting(equations), USUAL)
    return [*found, (plan, None)]


def _form(printed: Printed, watch: Happenings, plan: KernelPlan, lean: Lean | None) -> str:
    """One form: its functions, which of its numbers are what."""
    own, equations = "lean_" if lean else "written_", watch.equations
    parameters, reads = _at(plan.inputs, "p"), [*plan.states, WORK]
    parts = [f"states: {_literal(plan.states)}", f"parameters: {len(plan.parameters)}, preamble: {plan.preamble}"]
    parts += [f"divisors: {len(plan.pivots) + len(plan.charts)}, limit: {LEAN_LIMIT if lean else MARGIN_LIMIT}"]
    for name, f in plan.functions.items():
        full = name == "within"
        task = CodeTask(f.outputs, f.size, f.system)
        key = "prepare" if name == PREAMBLE else name
        parts.append(f"{key}: {printed.add(own + key, task, [*equations.states, WORK] if full else reads, parameters)}")
    if plan.pivots or plan.charts:
        task = CodeTask((*plan.pivots, *plan.charts))
        parts.append(f"pivots: {printed.add(f'{own}pivots', task, reads, parameters)}")
    if watch.guards:
        row = (*plan.states, *forces(equations))
        for name, task in zip(("guards", "slopes"), watch.watched(row, lean), strict=True):
            parts.append(f"{name}: {printed.add(own + name, task, reads, parameters)}")
    if lean is not None:
        task = CodeTask((lean.health(Graph()),))
        parts.append(f"health: {printed.add(f'{own}health', task, reads, parameters)}")
    return "{ " + ", ".join(parts) + " }"


def _at(inputs: Inputs, array: str) -> list[str]:
    """What stands in an array, in order."""
    return [name for _, name in sorted((i, name) for name, (where, i) in inputs.items() if where == array)]


def _said(equations: Equations, scene: ExploredMotion, start: Start | None) -> list[str]:
    """Names and values."""
    system, derived = equations.system, equations.multipliers
    known = {k: system.parameters.get(k) for k in sorted(system.symbols)}
    values = known if start is None else {k: start.parameters.get(k, v) for k, v in known.items()}
    follows = () if start is None else start.follows
    free = "energy" not in {*equations.states, *system.symbols}
    pushes = forces(equations)
    said = {
        "states": [*equations.states, *pushes],
        "coordinates": len(equations.space.coordinates),
        "velocities": len(equations.space.velocities),
        "multipliers": [] if equations.states_of_multipliers or pushes else [s.name for s in derived],
        "contacts": laws(equations),
        "rows": len(equations.kept),
        "energy": free,
        "kept": list(system.momenta),
        "constraints": [c.name for c in equations.constraints],
        "relations": [c.name for c in equations.constraints if c.holonomic],
        "parameters": values,
        "start": {} if start is None else {**start.state, **dict.fromkeys(pushes, 0.0)},
        "follows": list(follows),
        "t0": scene.t,
        "until": scene.until,
    }
    return [f"{name}: {_literal(value)}" for name, value in said.items()]


def _functions(printed: Printed, equations: Equations, watch: Happenings) -> list[str]:
    """Functions of full rows."""
    apart = equations.apart()
    machine, graph = apart.machine, apart.machine.graph
    reads, parameters = [*equations.states, *forces(equations), WORK], sorted(equations.system.symbols)
    q, u = (s.name for s in equations.space.coordinates), (s.name for s in equations.space.velocities)
    tasks = {
        "draw": _draw(equations.system),
        "observe": _observe(apart),
        "watch": _watch(apart),
        "places": _slopes(list(machine.position.values()), [graph.symbol(name) for name in q]),
        "jumps": watch.jumps,
        "touch": imposed(equations),
        "speeds": _slopes(list(machine.phi), [graph.symbol(name) for name in u]),
    }
    names = [printed.add(name, task, reads, parameters) for name, task in tasks.items()]
    return [*names, f"drawn: {len(tasks['draw'].outputs)}"]


def _draw(system: System) -> CodeTask:
    """Of each body its frame by rows and its half sizes; then the traced points."""
    found = poses(system, Graph())
    nodes = [node for body in found for node in (*body.frame, *body.size)]
    return CodeTask((*nodes, *(node for body in found for node in body.trace or ())))


def _observe(equations: Equations) -> CodeTask:
    """Multipliers that are no states, the energy, kept quantities."""
    machine, task = equations.machine, None
    if len(machine.form.W) + len(machine.form.N) > ELIMINATED:
        equations = replace(equations, definite=False)
        equations.__dict__["machine"] = machine
    if equations.contacts is None:
        _, task = solved(equations)
    task = task or CodeTask(())
    kept = [read(e, machine.graph) for e in equations.system.momenta.values()]
    return CodeTask((*task.outputs, machine.energy, *kept), task.size, task.system)


def _slopes(rows: Sequence[Node], xs: Sequence[Node]) -> CodeTask:
    """Rows, then row by row their derivatives."""
    return CodeTask((*rows, *(d for row in rows for d in gradient(row, xs))))


def _watch(equations: Equations) -> CodeTask:
    """Residuals and the sizes of their terms: of all constraints on velocities, then of relations of positions."""
    machine, space = equations.machine, equations.space
    found = list[Node]()
    for row in machine.phi:
        found += [row, _size(equations, row, space.velocities)]
    for i in sorted(machine.position):
        found += [machine.position[i], _size(equations, machine.position[i], space.coordinates)]
    return CodeTask(tuple(found))


def _size(equations: Equations, row: Node, variables: Sequence[sp.Symbol]) -> Node:
    """As of `equations.scale`: sum |term|, of a row with one term |dphi/dx| |x|."""
    machine, graph = equations.machine, equations.machine.graph
    xs = [graph.symbol(v.name) for v in variables]
    steepest = _largest([graph.apply("abs", d) for d in gradient(row, xs)], graph)
    whole = steepest * _largest([graph.apply("abs", x) for x in xs], graph)
    terms = machine.terms[row]
    if len(terms) == 1:
        return whole
    total = reduce(lambda a, b: a + b, [graph.apply("abs", term) for term in terms])
    return graph.apply("max", total, FLOOR * whole)


def _largest(nodes: Sequence[Node], graph: Graph) -> Node:
    return reduce(lambda a, b: graph.apply("max", a, b), nodes, graph.constant(0.0))


def _literal(value: object) -> str:
    """JSON that may stand in a page."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False).replace("<", "\\u003c")
