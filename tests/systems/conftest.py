"""The gallery's cases: every file's own system, and its variants."""

import pkgutil
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert import systems
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate, tangent
from zoo import GALLERY

HELPERS = {"facts", "closed"}
MODULES = sorted({m.name for m in pkgutil.iter_modules(systems.__path__)} - HELPERS)
UNTIL = 3.0
LAM = 0.05  # of vakonomic runs: not 0, so that they leave the nonholonomic ones


@dataclass(frozen=True)
class Case:
    """One system of the gallery."""

    module: Any
    options: Any
    starts: Any
    facts: Any
    exact: bool

    @classmethod
    @cache
    def named(cls, name):
        module_name, _, variant = name.partition("/")
        module = import_module(f"dalembert.systems.{module_name}")
        if not variant:
            return cls(module, {}, module.STARTS, module.FACTS, hasattr(module, "exact"))
        v = module.VARIANTS[variant]
        return cls(module, v.options, v.starts, v.facts, v.exact)

    def __hash__(self):
        return id(self)

    @property
    def principles(self):
        """Those that take the system: contacts stand in the laws of motion, not in those of variation."""
        return [da.nonholonomic] if self.system().contacts else [da.nonholonomic, da.vakonomic]

    @cache  # noqa: B019
    def system(self):
        return self.module.system(**self.options) if self.options else GALLERY[self.module.__name__.split(".")[-1]]

    @cache  # noqa: B019
    def equations(self, principle):
        return principle(self.system())

    @cache  # noqa: B019
    def start(self, name, principle=da.nonholonomic, lam=LAM):
        equations = self.equations(principle)
        lams = {s.name: lam * (-0.8) ** i for i, s in enumerate(equations.states_of_multipliers)}
        return equations.start(**self.starts[name], **lams)

    @cache  # noqa: B019
    def path(self, name, principle=da.nonholonomic, lam=LAM):
        equations = self.equations(principle)
        until = self.module.SPAN if self.system().contacts else UNTIL
        return da.simulate(equations, self.start(name, principle, lam), until=until, rtol=1e-11, atol=1e-13)


def names():
    for module in MODULES:
        yield module
        yield from (f"{module}/{v}" for v in getattr(import_module(f"dalembert.systems.{module}"), "VARIANTS", {}))


NAMES = list(names())


@pytest.fixture(params=NAMES)
def case(request):
    return Case.named(request.param)


@pytest.fixture(params=MODULES)
def module(request):
    return import_module(f"dalembert.systems.{request.param}")


@pytest.fixture
def built(module):
    """The system of the file, as it is without a choice of parameters."""
    return GALLERY[module.__name__.split(".")[-1]]


def along(expression, columns, system):
    """An expression along a path, or at states given as ``{name: array}``; parameters from the system."""
    if not isinstance(columns, dict):
        columns = {"t": columns.t, **{name: columns[name] for name in columns.names}}
    values = {**system.values(), **columns}
    return np.asarray(evaluate([read(expression, Graph())], values)[0], float)


# --- the growth vector: brackets of vector fields in coordinates, on the expression graph -----------------------------


def growth_vector(system, point, stalls=1):
    """Dimensions of D, D + [D, D], ... at a point, from scratch: fields E^i_a u^a that the normals annihilate.

    D^(k+1) = D^k + [D, D^k]; brackets [X, Y]^i = X^j dY^i/dq^j - Y^j dX^i/dq^j. At a generic point the dimension that
    does not grow once never does; elsewhere it may rest for some `stalls`.
    """
    graph = Graph()
    q = [graph.symbol(s.name) for s in system.space.coordinates]
    values = {**system.values(), **point}
    anchor = [[read(e, graph) for e in row] for row in system.space.anchor.tolist()]
    normals = [[read(e, graph) for e in c.normal] for c in system.constraints]
    basis = _kernel(normals, len(system.space.velocities), graph, values)
    fields = [[sum((row[a] * v[a] for a in range(len(v))), graph.constant(0)) for row in anchor] for v in basis]
    level, every, found = fields, list(fields), []
    while True:
        matrix = np.array(evaluate([x for f in every for x in f], values), float).reshape(len(every), -1)
        rank = int(np.linalg.matrix_rank(matrix, tol=1e-9 * np.abs(matrix).max()))
        found.append(rank)
        if rank == len(system.space.velocities) or found[-stalls - 1 :] == [rank] * (stalls + 1):
            return tuple(found[: found.index(rank) + 1])
        pairs = combinations(fields, 2) if level is fields else product(fields, level)  # [X, Y] = -[Y, X]
        level = [_bracket(X, Y, q) for X, Y in pairs]
        every = every + level


def _bracket(X, Y, q):
    return [a - b for a, b in zip(tangent(Y, q, X), tangent(X, q, Y), strict=True)]


def _kernel(rows, k, graph, values):
    """A basis of {v: rows v = 0}: Gauss-Jordan on the graph, pivots chosen by size at the point."""
    rows, pivots = [list(r) for r in rows], []
    for s in range(len(rows)):
        sizes = [0 if a in pivots else abs(float(x)) for a, x in enumerate(evaluate(rows[s], values))]
        a = int(np.argmax(sizes))
        assert sizes[a] > 1e-9, "dependent rows"
        rows[s] = [x / rows[s][a] for x in rows[s]]
        for r in range(len(rows)):
            if r != s:
                factor = rows[r][a]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[s], strict=True)]
        pivots.append(a)
    basis = []
    for b in (b for b in range(k) if b not in pivots):
        v = [graph.constant(int(a == b)) for a in range(k)]
        for s, a in enumerate(pivots):
            v[a] = -1 * rows[s][b]
        basis.append(v)
    return basis


# --- lam(0): do the vakonomic equations hold along a nonholonomic motion? ---------------------------------------------


def partner(case, name, samples=101):
    """Least-squares lam(0) for which the nonholonomic motion from a start solves the vakonomic equations.

    For every lam on the path,  r(lam) = W(lam) udot - f(lam)  is affine in lam and must equal N^T lamdot. The part of
    r in the range of N^T gives  lamdot = A lam + b;  the rest gives conditions  C lam = d.

    Returns:
        residual (over the size of r), lam(0), and a test of another lam(0).
    """
    from scipy.integrate import solve_ivp

    from dalembert.equations.saddle_form import Numbers

    true, rival = case.equations(da.nonholonomic), case.equations(da.vakonomic)
    path, system = case.path(name), case.system()
    lams = [s.name for s in rival.states_of_multipliers]
    m, until = len(lams), getattr(case.module, "SPAN", 1.0)

    def linear(t):
        state = {n: v for n, v in path.at(t).items() if n in true.states}
        values = {**system.values(), **state, "t": t}
        udot, _ = true.accelerations(values)

        def r(lam):
            numbers = Numbers.of(rival.machine.form, {**values, **dict(zip(lams, lam, strict=True))})
            return np.asarray(numbers.W) @ udot - np.asarray(numbers.f), np.asarray(numbers.N)

        r0, N = r(np.zeros(m))
        slopes = np.array([r(e)[0] - r0 for e in np.eye(m)]).T
        inverse = np.linalg.pinv(N.T, rcond=1e-10)
        rest = np.eye(len(r0)) - N.T @ inverse
        return inverse @ slopes, inverse @ r0, rest @ slopes, -rest @ r0, np.abs(r0).max() + np.abs(slopes).max()

    def rate(t, y):
        A, b, *_ = linear(t)
        Y = y.reshape(m, m + 1)
        # columns: fundamental solutions, then a particular one
        return (A @ Y + np.column_stack([np.zeros((m, m)), b])).ravel()

    times = np.linspace(0, until, samples)
    begin = np.column_stack([np.eye(m), np.zeros(m)]).ravel()
    flow = solve_ivp(rate, (0, until), begin, t_eval=times, rtol=1e-9, atol=1e-11).y.T.reshape(-1, m, m + 1)
    conditions, sides, size = [], [], 1e-300
    for t, Y in zip(times, flow, strict=True):
        _, _, C, d, scale = linear(t)
        conditions.append(C @ Y[:, :m])
        sides.append(d - C @ Y[:, m])
        size = max(size, scale)
    K, d = np.vstack(conditions), np.concatenate(sides)
    lam = np.linalg.lstsq(K, d, rcond=1e-9)[0]

    def residual(lam):
        return float(np.abs(K @ lam - d).max() / size)

    return residual(lam), lam, residual


@pytest.fixture(scope="session", name="growth_vector")
def _growth_vector():
    return growth_vector


@pytest.fixture(scope="session", name="partner")
def _partner():
    return partner


@pytest.fixture(scope="session", name="along")
def _along():
    return along


@pytest.fixture(scope="session")
def named():
    """A case by name, to share its equations and runs."""
    return Case.named
