"""What a page steps motions with contacts by: the rows of all that may touch, as one function of the state.

A full row of such a motion is (q, u, forces, work): reactions of the constraints, then the forces of each contact.
"""

from __future__ import annotations

from ...calculus.graph import Graph, substitute
from ...calculus.substitution import carried
from ...equations import Equations
from ...equations.code.listing import Task
from ...equations.contacts import NEWTON, refuse_contacts


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


def imposed(equations: Equations) -> Task:
    """W, f, the power of the forces, E u; of each constraint its place, phi and N; of each contact what it imposes.

    That is the gap and the size of its terms, mu, mu_static, restitution and load; then its rate and its slips, each
    before its row of derivatives by the velocities.
    """
    if equations.contacts is None:
        return Task(())
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
        nodes += carried([rows.gaps[i], rows.sizes[i], *rows.coefficients[3 * i : 3 * i + 3], rows.loads[i]], graph)
        last = first + 1 + len(law.slip)
        nodes += carried([e for s in range(first, last) for e in at[s]], graph)
        first = last
    return Task(tuple(nodes))


def said(equations: Equations) -> list[str]:
    """What a page says of how contacts are stepped."""
    if equations.contacts is None:
        return []
    step = "contacts are stepped with a fixed step, and their audit tells how far the energy is off by that"
    others = [name for name, law in equations.contacts.laws.items() if law.restitution != NEWTON and law.slip]
    law = f"impacts at {', '.join(others)} go by Newton's law here, where runs have another one"
    return [step, *([law] if others else [])]
