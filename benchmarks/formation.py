"""From the specification to the first acceleration, beside CasADi by hand and SymPy's own mechanics.

python benchmarks/formation.py [links ...]

Each side starts from the formulas of L and the constraints and ends with one set of accelerations in numbers: seconds
of CPU time, best of several, all in one run. CasADi's side is written by hand: gradients, Hessian and Jacobians of L
and phi, W = L D L^T and its Schur complement (or the whole saddle matrix solved at once), a Function, one call. SymPy's
is `LagrangesMethod` and a linear solve in numbers, given up after two minutes.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import queue
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

from dalembert.principles.nonholonomic import nonholonomic
from dalembert.systems import car_with_trailers, rolling_disc, wheeled_snake

TIMES, PATIENCE = 7, 120.0


def best(job: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the first and of the best of several runs."""
    found = []
    for _ in range(TIMES):
        began = time.process_time()
        job()
        found.append(time.process_time() - began)
    return found[0], min(found)


# --- this library ----------------------------------------------------------------------------------------------------


def ours(make: Callable[[], Any], start: dict[str, Any]) -> Callable[[], object]:
    """System, form, start and evaluation."""

    def job() -> object:
        equations = nonholonomic(make())
        return equations.evaluate(equations.start(**start))

    return job


# --- CasADi, by hand -------------------------------------------------------------------------------------------------


def casadi_disc(ca: Any, solve: Callable[..., Any]) -> object:
    """The disc of `rolling_disc`."""
    m, r, A, C, g = 1.0, 0.5, 0.0625, 0.125, 9.81
    q, v = ca.SX.sym("q", 5), ca.SX.sym("v", 5)
    s, c = ca.sin(q[2]), ca.cos(q[2])
    L = m / 2 * (v[0] ** 2 + v[1] ** 2 + r**2 * c**2 * v[2] ** 2) - m * g * r * s
    L += A / 2 * (v[2] ** 2 + s**2 * v[3] ** 2) + C / 2 * (v[4] + c * v[3]) ** 2
    along = v[0] * ca.cos(q[3]) + v[1] * ca.sin(q[3]) - r * s * v[2]
    across = v[1] * ca.cos(q[3]) - v[0] * ca.sin(q[3]) + r * (c * v[3] + v[4])
    return solve(ca, L, ca.vertcat(along, across), q, v)([0, 0, 1.2, 0.3, 0], [0.1, 0.2, 0.1, 0.8, 4.0])


def casadi_chain(ca: Any, solve: Callable[..., Any], n: int, double: bool) -> object:
    """The snake of n links (`double`: jointed at the ends of links), or the car with n - 1 trailers."""
    length, m, J = (0.5, 1.0, 0.1) if double else (1.0, 1.0, 0.2)
    q, v = ca.SX.sym("q", n + 2), ca.SX.sym("v", n + 2)
    vx, vy, T, phi = v[0], v[1], 0, []
    for i in range(2, n + 2):
        for j in (i - 1, i) if double else (i,):
            if i > 2:
                vx, vy = vx + length * v[j] * ca.sin(q[j]), vy - length * v[j] * ca.cos(q[j])
        T += m / 2 * (vx**2 + vy**2) + J / 2 * v[i] ** 2
        phi.append(vy * ca.cos(q[i]) - vx * ca.sin(q[i]))
    return solve(ca, T, ca.vertcat(*phi), q, v)([0.1 * (i % 5) - 0.2 for i in range(n + 2)], [0.3] * (n + 2))


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


def sympy_snake(n: int, tell: Any) -> None:
    """`LagrangesMethod` on the snake of n links; no symbolic inversion is asked for."""
    import numpy as np
    import sympy as sp
    from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

    began = time.process_time()
    q = sp.Matrix(dynamicsymbols(f"x y theta1:{n + 1}"))
    v = q.diff(dynamicsymbols._t)
    vx, vy, T, phi = v[0], v[1], sp.S.Zero, []
    for i in range(2, n + 2):
        for j in (i - 1, i) if i > 2 else ():
            vx, vy = vx + v[j] * sp.sin(q[j]) / 2, vy - v[j] * sp.cos(q[j]) / 2
        T += (vx**2 + vy**2) / 2 + v[i] ** 2 / 20
        phi.append(vy * sp.cos(q[i]) - vx * sp.sin(q[i]))
    method = LagrangesMethod(T, list(q), nonhol_coneqs=phi)
    method.form_lagranges_equations()
    values = dict.fromkeys(v, 0.3) | {s: 0.1 * (i % 5) - 0.2 for i, s in enumerate(q)}
    full, forcing = (m.xreplace(values) for m in (method.mass_matrix_full, method.forcing_full))
    np.linalg.solve(np.array(full, float), np.array(forcing, float))
    tell.put(time.process_time() - began)


def within(seconds: float, job: Callable[..., None], n: int) -> float | None:
    """What the job tells from a process of its own; None where it takes longer."""
    context = multiprocessing.get_context("spawn")
    told = context.Queue()
    process = context.Process(target=job, args=(n, told))
    process.start()
    try:
        return float(told.get(timeout=seconds))
    except queue.Empty:
        return None
    finally:
        process.terminate()
        process.join()


# --- the table -------------------------------------------------------------------------------------------------------


def main(links: list[int]) -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    casadi = __import__("casadi") if importlib.util.find_spec("casadi") else None
    rows: list[tuple[str, Any, Any, Any]] = [("disc", rolling_disc.system, rolling_disc.START, casadi_disc)]
    for n in links:
        snake, car = wheeled_snake._starts(n)["bent"], car_with_trailers._starts(n - 1)["turning"]
        rows += [
            (f"snake {n}", partial(wheeled_snake.system, n), snake, partial(casadi_chain, n=n, double=True)),
            (
                f"car, {n - 1} trailers",
                partial(car_with_trailers.system, n - 1),
                car,
                partial(casadi_chain, n=n, double=False),
            ),
        ]
    print(f"{'system':18s} {'ours: first':>12s} {'best':>8s}   {'CasADi: Schur':>13s} {'saddle':>8s}   ours/CasADi")
    for name, make, start, rival in rows:
        first, mine = best(ours(make, start))
        line = f"{name:18s} {1e3 * first:9.1f} ms {1e3 * mine:5.1f} ms"
        if casadi:
            by_parts, at_once = (best(partial(rival, casadi, solve))[1] for solve in (schur, bordered))
            line += (
                f"   {1e3 * by_parts:10.1f} ms {1e3 * at_once:5.1f} ms   {mine / by_parts:.1f}, {mine / at_once:.1f}"
            )
        print(line if casadi else f"{line}   CasADi: not installed", flush=True)
    for n in (4, 8, 12):
        mine = best(ours(partial(wheeled_snake.system, n), wheeled_snake._starts(n)["bent"]))[1]
        theirs = within(PATIENCE, sympy_snake, n)
        took = f"{theirs:.1f} s, {theirs / mine:.0f} times" if theirs else f"more than {PATIENCE / mine:.0f} times"
        print(f"snake {n}: ours {1e3 * mine:.1f} ms, SymPy's LagrangesMethod {took}", flush=True)


if __name__ == "__main__":
    main([int(n) for n in sys.argv[1:]] or [4, 8, 20])
