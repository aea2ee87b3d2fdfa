"""From the formulas of L and the constraints to the first accelerations in numbers: this library's side and others'.

Every side begins with symbols and ends with the accelerations at one state. CasADi's is written by hand: gradients,
Hessian and Jacobians of L and phi, W = L D L^T and its Schur complement (or the whole saddle matrix solved at once), a
Function, one call. SymPy's is `LagrangesMethod` and a linear solve in numbers.
"""

from __future__ import annotations

import multiprocessing
import queue
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import dalembert as da
from dalembert.systems import rolling_disc, wheeled_snake

from . import whipple

Solve = Callable[..., Any]  # how CasADi solves: `schur` or `bordered`


@dataclass(frozen=True)
class Subject:
    """A system that is formed by both sides.

    Attributes:
        make: gives the system anew.
        given: values of a start.
        by_hand: the same in CasADi: (casadi, how to solve) -> a function of q and v.
    """

    make: Callable[[], da.System]
    given: Mapping[str, float]
    by_hand: Callable[[Any, Solve], Any]

    def ours(self) -> np.ndarray:
        """The accelerations by this library."""
        equations = da.nonholonomic(self.make())
        found = equations.evaluate(equations.start(**self.given))["accelerations"]
        return np.array(list(found.values()))

    def theirs(self, ca: Any, solve: Solve, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The accelerations by CasADi."""
        found = self.by_hand(ca, solve)(q, v)
        first = found[0] if isinstance(found, tuple) else found
        return np.array(first).ravel()[: len(v)]

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """q and v of the start."""
        equations = da.nonholonomic(self.make())
        start = equations.start(**self.given)
        return np.split(np.array([start[n] for n in equations.states]), [len(equations.space.coordinates)])


def disc() -> Subject:
    """The rolling disc, in text as `casadi_disc` writes it."""
    q = "x y theta phi psi"
    L = (
        "m/2*(vx^2 + vy^2 + r^2*cos(theta)^2*vtheta^2) - m*g*r*sin(theta)"
        " + A/2*(vtheta^2 + sin(theta)^2*vphi^2) + C/2*(vpsi + cos(theta)*vphi)^2"
    )
    along = "vx*cos(phi) + vy*sin(phi) - r*sin(theta)*vtheta"
    across = "vy*cos(phi) - vx*sin(phi) + r*(cos(theta)*vphi + vpsi)"
    values = {"m": 1.0, "r": 0.5, "A": 0.0625, "C": 0.125, "g": 9.81}
    return Subject(
        lambda: da.System(da.coordinates(q), L, {"along": along, "across": across}, parameters=values),
        rolling_disc.START,
        casadi_disc,
    )


def snake(n: int) -> Subject:
    """The wheeled snake of n links."""
    return Subject(partial(wheeled_snake.system, n), wheeled_snake._starts(n)["bent"], partial(casadi_snake, n=n))


def snake_in_text(n: int) -> Subject:
    """The same in text as `casadi_snake` writes it: velocities of a link by those of the one before."""
    links = range(1, n + 1)
    parts = {"vx1": "vx", "vy1": "vy"}
    for i in links[1:]:
        for name, sign, f in (("vx", "+", "sin"), ("vy", "-", "cos")):
            turning = f"vtheta{i - 1}*{f}(theta{i - 1}) + vtheta{i}*{f}(theta{i})"
            parts[f"{name}{i}"] = f"{name}{i - 1} {sign} h*({turning})"
    parts |= {f"T{i}": f"m/2*(vx{i}^2 + vy{i}^2) + J/2*vtheta{i}^2" for i in links}
    rows = {f"wheel{i}": f"vy{i}*cos(theta{i}) - vx{i}*sin(theta{i})" for i in links}
    names = " ".join(["x y", *(f"theta{i}" for i in links)])
    values = {"m": 1.0, "J": 0.1, "h": 0.5}
    start = {k.replace("omega", "vtheta"): v for k, v in wheeled_snake._starts(n)["bent"].items()}
    return Subject(
        lambda: da.System(
            da.coordinates(names), " + ".join(f"T{i}" for i in links), rows, parameters=values, definitions=parts
        ),
        start,
        partial(casadi_snake, n=n),
    )


def bicycle() -> Subject:
    """The Whipple bicycle."""
    return Subject(
        whipple.system, {**whipple.PLACE, **whipple.RATES, "pitch": whipple.start()["pitch"]}, casadi_bicycle
    )


# --- CasADi, by hand -------------------------------------------------------------------------------------------------


def casadi_disc(ca: Any, solve: Solve) -> Any:
    """The disc of `rolling_disc`."""
    m, r, A, C, g = 1.0, 0.5, 0.0625, 0.125, 9.81
    q, v = ca.SX.sym("q", 5), ca.SX.sym("v", 5)
    s, c = ca.sin(q[2]), ca.cos(q[2])
    L = m / 2 * (v[0] ** 2 + v[1] ** 2 + r**2 * c**2 * v[2] ** 2) - m * g * r * s
    L += A / 2 * (v[2] ** 2 + s**2 * v[3] ** 2) + C / 2 * (v[4] + c * v[3]) ** 2
    along = v[0] * ca.cos(q[3]) + v[1] * ca.sin(q[3]) - r * s * v[2]
    across = v[1] * ca.cos(q[3]) - v[0] * ca.sin(q[3]) + r * (c * v[3] + v[4])
    return solve(ca, L, ca.vertcat(along, across), q, v)


def casadi_snake(ca: Any, solve: Solve, n: int) -> Any:
    """The snake of `wheeled_snake`."""
    length, m, J = 0.5, 1.0, 0.1
    q, v = ca.SX.sym("q", n + 2), ca.SX.sym("v", n + 2)
    vx, vy, T, phi = v[0], v[1], 0, []
    for i in range(2, n + 2):
        for j in (i - 1, i) if i > 2 else ():
            vx, vy = vx + length * v[j] * ca.sin(q[j]), vy - length * v[j] * ca.cos(q[j])
        T += m / 2 * (vx**2 + vy**2) + J / 2 * v[i] ** 2
        phi.append(vy * ca.cos(q[i]) - vx * ca.sin(q[i]))
    return solve(ca, T, ca.vertcat(*phi), q, v)


def casadi_bicycle(ca: Any, solve: Solve) -> Any:
    """The bicycle of `whipple`: the same formulas, over CasADi."""
    q, v = ca.SX.sym("q", 9), ca.SX.sym("v", 9)
    qs, vs = ca.vertsplit(q), ca.vertsplit(v)
    rates = ca.jtimes(ca.vertcat(*whipple.contacts(ca, qs)), q, v)
    phi = ca.vertcat(rates, *whipple.slips(ca, qs, vs))
    return solve(ca, whipple.lagrangian(ca, qs, vs), phi, q, v)


def schur(ca: Any, L: Any, phi: Any, q: Any, v: Any) -> Any:
    """udot and multipliers by W = L D L^T and N W^-1 N^T."""
    W, f, N, g = _form(ca, L, phi, q, v)
    D, LT, order = ca.ldl(W)
    Y = ca.ldl_solve(ca.horzcat(N.T, f), D, LT, order)
    responses, free = Y[:, :-1], Y[:, -1]
    D, LT, order = ca.ldl(ca.mtimes(N, responses))
    lam = ca.ldl_solve(g - ca.mtimes(N, free), D, LT, order)
    return ca.Function("F", [q, v], [free + ca.mtimes(responses, lam), lam])


def bordered(ca: Any, L: Any, phi: Any, q: Any, v: Any) -> Any:
    """The same by one solve of the saddle matrix."""
    W, f, N, g = _form(ca, L, phi, q, v)
    K = ca.blockcat([[W, -N.T], [N, ca.SX(phi.shape[0], phi.shape[0])]])
    return ca.Function("F", [q, v], [ca.solve(K, ca.vertcat(f, g))])


def _form(ca: Any, L: Any, phi: Any, q: Any, v: Any) -> tuple[Any, Any, Any, Any]:
    p = ca.gradient(L, v)
    f = ca.gradient(L, q) - ca.jtimes(p, q, v)
    return ca.jacobian(p, v), f, ca.jacobian(phi, v), -ca.jtimes(phi, q, v)


# --- SymPy's mechanics -----------------------------------------------------------------------------------------------


def sympy_snake(n: int, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The accelerations of the snake of n links by `LagrangesMethod`; no symbolic inversion is asked for."""
    import sympy as sp
    from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

    qs = sp.Matrix(dynamicsymbols(f"x y theta1:{n + 1}"))
    vs = qs.diff(dynamicsymbols._t)
    vx, vy, T, phi = vs[0], vs[1], sp.S.Zero, []
    for i in range(2, n + 2):
        for j in (i - 1, i) if i > 2 else ():
            vx, vy = vx + vs[j] * sp.sin(qs[j]) / 2, vy - vs[j] * sp.cos(qs[j]) / 2
        T += (vx**2 + vy**2) / 2 + vs[i] ** 2 / 20
        phi.append(vy * sp.cos(qs[i]) - vx * sp.sin(qs[i]))
    method = LagrangesMethod(T, list(qs), nonhol_coneqs=phi)
    method.form_lagranges_equations()
    values = {s: float(x) for s, x in zip([*vs, *qs], [*v, *q], strict=True)}
    full, forcing = (m.xreplace(values) for m in (method.mass_matrix_full, method.forcing_full))
    found = np.linalg.solve(np.array(full, float), np.array(forcing, float))
    return found.ravel()[n + 2 : 2 * (n + 2)]


def _timed(n: int, tell: Any) -> None:
    q, v = snake(n).state()
    began = time.perf_counter()
    sympy_snake(n, q, v)
    tell.put(time.perf_counter() - began)


def sympy_seconds(n: int, patience: float) -> float | None:
    """Seconds of `sympy_snake` in a process of its own; None where it takes longer than `patience`, start included."""
    context = multiprocessing.get_context("spawn")
    told = context.Queue()
    process = context.Process(target=_timed, args=(n, told))
    process.start()
    try:
        return float(told.get(timeout=patience))
    except queue.Empty:
        return None
    finally:
        process.terminate()
        process.join()
