"""The distributions of [cushman1995] at a state, in numbers, for any system with a symmetry.

    V   the directions of the group, lifted to velocities          U = {u in H: omega(u, v) = 0 for all v in V n H}
    H   the tangent vectors of M that the constraints allow        K = U n V ,   W_perp = {u in H: omega(u, W) = 0}

A subspace is an array of rows, orthonormal, each a tangent vector (x, w): x moves the place, w the velocities.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, islice
from typing import Any

import numpy as np

from ..argument_checks import mapping, one_of, public, whole
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Node, evaluate, tangent
from ..calculus.numerical_rank import SAMPLED, count_above, null_rows
from ..calculus.quantity import number
from ..calculus.symbols import by_name
from ..errors import InvalidValue, WrongType, as_given
from ..errors.remedies import Call, Give
from ..model.expression_symbols import Reader
from ..model.system import System
from ..spelling import Multipliers
from .constraint_rank import ranks
from .examination import examine
from .generators import declared
from .group_action import Action
from .noether import horizontal
from .random_states import ConstraintSampler, Values
from .summary_lines import Summary
from .symplectic_form import Local, Symplectic

_PLACES, _ISOTROPIC, _INVOLUTIVE = 3, 1e-9, 1e-8
MANY = 10_000_000  # states that are asked for at once


@dataclass(frozen=True, eq=False)
class DistributionsAt:
    """The distributions at one state.

    Attributes:
        values: the state, by name, parameters included.
        local: the form, H and dE.
        lifted: the generators as tangent vectors, in order.
        names: of the generators.
        normals: the independent constraints' forms phi_a on the frame, by name.
    """

    values: Values
    local: Local
    lifted: Rows
    names: tuple[str, ...] = ()
    normals: Mapping[str, np.ndarray] = field(default_factory=dict)

    @cached_property
    def H(self) -> Rows:
        """The tangent vectors of M that the constraints allow."""
        return span(self.local.H)

    @cached_property
    def V(self) -> Rows:
        """The directions of the group."""
        return span(self.lifted)

    @cached_property
    def VH(self) -> Rows:
        """V n H."""
        return meet(self.V, self.H)

    @cached_property
    def U(self) -> Rows:
        """The vectors of H with omega(u, V n H) = 0."""
        return self.perp(self.VH)

    @cached_property
    def K(self) -> Rows:
        """U n V."""
        return meet(self.U, self.V)

    @cached_property
    def H_perp(self) -> Rows:
        """H_omega, the vectors of TP with omega(u, H) = 0: all of TP is H + H_omega on M [cushman1995 (16)]."""
        return span(kernel(self.H @ self.local.omega.T))

    @cached_property
    def multipliers(self) -> Multipliers[float]:
        """lambda_a by name, ``lam_<constraint>``: the force of constraint is lambda_a phi_a [cushman1995 Theorem 1.4].

        The force is that along the frame. They are read off H_omega:
        dE(Y) - Q(Y) - omega(xi, Y) = lambda_a phi_a(Y)  for Y in H_omega. Of constraints that depend on each other only
        the independent ones have one.
        """
        local, k = self.local, self.local.H.shape[1] // 2
        phi = np.array(list(self.normals.values()), float).reshape(-1, k)
        right = self.H_perp @ (local.dE - local.push) - self.omega(self.xi[None], self.H_perp)[0]
        found = np.linalg.lstsq(self.H_perp[:, :k] @ phi.T, right, rcond=None)[0]
        return Multipliers.of(self.normals, map(float, found))

    @property
    def xi(self) -> np.ndarray:
        """The motion."""
        return self.local.motion

    @cached_property
    def decomposition(self) -> Decomposition:
        """H = B + C + D with complements of K that the group keeps; the motion along K [cushman1995 (29), (34)]."""
        return self.decompose()

    def decompose(self, seed: int | None = None) -> Decomposition:
        """H = B + C + D: U = B + K, V n H = D + K, C the omega-perpendicular of B + D in H [cushman1995 (26) to (34)].

        Args:
            seed: of complements of K taken at random; by default those across K in the kinetic metric.

        Raises:
            WrongType, InvalidValue: E314, a seed that is none.
        """
        return decomposed(self, None if seed is None else whole(seed, "seed", "E314"))

    def omega(self, A: Rows, B: Rows) -> np.ndarray:
        """omega(A_i, B_j)."""
        return np.asarray(A @ self.local.omega @ B.T)

    def perp(self, W: Rows) -> Rows:
        """{u in H: omega(u, w) = 0 for all w in W}."""
        return span(kernel(self.omega(W, self.H)) @ self.H)

    def isotropic(self, W: Rows) -> float:
        """The largest |omega| on W, 0 where W is isotropic, relative to omega."""
        return float(np.abs(self.omega(W, W)).max(initial=0.0) / np.abs(self.local.omega).max())

    def regular(self, W: Rows) -> float:
        """The least singular value of omega on W over the largest of omega: 0 where it is degenerate."""
        if not len(W):
            return 1.0
        least = np.linalg.svd(self.omega(W, W), compute_uv=False)[-1]
        return float(least / np.abs(self.local.omega).max())


@public
def distributions(system: System, symmetry: object = None) -> Distributions:
    """The constraint manifold M of a system, the distribution H on it, its form omega_H, and what a group adds.

    Constraints f_a(t, q, u) = 0 may be of any kind: H is the kernel of phi_a = (df_a/du^i) e^i in TM, by Chetaev's rule
    where they are nonlinear [cushman1995 Section 1]. The motion lies in H where they are linear or homogeneous.

    Args:
        system: the system.
        symmetry: generators as for `System`; by default those that the system declares.

    Raises:
        WrongType: E101, not a system.
        DalembertError: E104, E125 for what is no symmetry.
    """
    return Distributions(system, symmetry)


def needs_linear(system: System) -> None:
    """E124: constraints that are not linear in the velocities."""
    strange = [c.name for c in system.constraints if not c.homogeneous]
    if strange:
        raise InvalidValue(
            "E124", f"{', '.join(strange)} is not linear and homogeneous in the velocities", Call("examine", "system")
        )


class Distributions:
    """The distributions of [cushman1995] on the constraint manifold of a system.

    Args:
        system: the system.
        symmetry: as for `System`; by default what the system declares.
    """

    def __init__(self, system: System, symmetry: object = None) -> None:
        self.system = system
        self.given = declared(system, symmetry, "distributions")
        self.sampler, self.kept = ConstraintSampler(system), ranks(system).kept
        self.action = Action(self.sampler, self.given)
        self.form = Symplectic(self.sampler, self.kept)
        self._lifts = [e for x in self.action.fields for e in [*x, *self.action.shift(x)[1]]]

    @cached_property
    def dimensions(self) -> dict[str, int]:
        """Of M, H, V, V n H, U and K, at random states; what holds at special ones differs."""
        return {"M": 2 * self.form.k - self.form.m, **sizes(self._random[0])}

    @cached_property
    def regular(self) -> float:
        """The least singular value of omega_H over the largest of omega, at the worst of some random states."""
        return min(place.regular(place.H) for place in self._random)

    @cached_property
    def growth(self) -> tuple[int, ...]:
        """How the brackets of H grow on M; the last is the dimension of the smallest integrable one that holds H.

        Raises:
            InvalidValue: E124, constraints that are not linear in the velocities.
        """
        needs_linear(self.system)
        below = examine(self.system).growth or (self.form.k - self.form.m,)
        # H holds all directions of velocities that M allows: they add r to each step on Q
        return tuple(size + self.form.k - self.form.m for size in below)

    @property
    def isotropic(self) -> bool:
        """Does omega vanish on K?"""
        return all(place.isotropic(place.K) <= _ISOTROPIC for place in self._random)

    @cached_property
    def involutive(self) -> bool | None:
        """Is V n H closed under brackets, as the quadratures of [cushman1995 (33)-(34)] need? None if undecided."""
        if len(self.sections) != self.dimensions["V n H"]:
            return None
        pairs = list(combinations(range(len(self.sections)), 2))
        lies = ((self.bracket(i, j, place.values), place.VH) for place in self._random for i, j in pairs)
        return all(outside(lie[None] / (np.linalg.norm(lie) or 1.0), VH) <= _INVOLUTIVE for lie, VH in lies)

    @cached_property
    def _random(self) -> list[DistributionsAt]:
        return self.places(_PLACES)

    def __str__(self) -> str:
        told = Summary(f"{self.system.title or 'System'}: distributions on the constraint manifold", ".system, .growth")
        sizes_ = self.dimensions
        told.add("M", f"{sizes_['M']} dimensions: positions, and velocities that the constraints allow")
        if all(c.homogeneous for c in self.system.constraints):
            told.add("H", f"{sizes_['H']} dimensions, growing as ({', '.join(map(str, self.growth))})")
            whole = self.growth[-1] == sizes_["M"]
            told.add("", "all of M" if whole else f"{self.growth[-1]} is the smallest integrable one that contains it")
        else:
            told.add("H", f"{sizes_['H']} dimensions, the kernel of df/du by Chetaev's rule")
        fact = "nondegenerate" if self.regular > SAMPLED else "degenerate"
        told.add("omega_H", f"{fact}: least singular value {self.regular:.2g} of the largest of omega")
        if self.given:
            told.add("V", f"{sizes_['V']}: {', '.join(g.name for g in self.given)}")
            told.add("V n H", f"{sizes_['V n H']}, U {sizes_['U']}, K = U n V {sizes_['K']}")
            told.add("K", "isotropic" if self.isotropic else "not isotropic")
            closed = {True: "involutive", False: "not involutive", None: "its sections are too long to be written down"}
            told.add("", f"V n H: {closed[self.involutive]}")
        return str(told)

    __repr__ = __str__

    def at(self, values: Mapping[str, float]) -> DistributionsAt:
        """The distributions at a state on the constraints: a start, or values by name; see `state`."""
        values = self.state(values)
        flat = np.array(evaluate(self._lifts, values), float)
        lifted = flat.reshape(len(self.given), 2 * self.form.k)
        rows = zip((self.system.constraints[i].name for i in self.kept), self.normals(values), strict=True)
        return DistributionsAt(values, self.form.at(values), lifted, tuple(g.name for g in self.given), dict(rows))

    def states(self, count: int, seed: int = 5, **held: float) -> Iterator[Values]:
        """Random states on the constraints, with some values held."""
        count, seed, found = whole(count, "count", least=1, most=MANY), whole(seed, "seed", "E314"), 0
        held = {one_of(self.names, name, "the system", "value", "E229"): number(x, name) for name, x in held.items()}
        for values, _ in islice(self.sampler.states(seed), 20 * count):
            values |= held
            if self.sampler.to_velocities(values) and all(values[k] == v for k, v in held.items()):
                found += 1
                yield values
            if found == count:
                return

    def places(self, count: int = 3, seed: int = 5, **held: float) -> list[DistributionsAt]:
        """The distributions at random states."""
        return [self.at(values) for values in self.states(count, seed, **held)]

    def derivative(self, f: Any, values: Mapping[str, float]) -> np.ndarray:
        """df on tangent vectors (x, w)."""
        node = f if isinstance(f, Node) else self._read(f, "the function")
        return np.array(evaluate(self.form.derivative(node), self.state(values)), float)

    def vectors(self, fields: Sequence[Any], values: Mapping[str, float]) -> Rows:
        """Fields given by expressions (x, w), as rows at a state."""
        k = self.form.k
        try:
            parts = [[*x, *w] for x, w in fields]
        except (TypeError, ValueError):
            parts = []
        if not parts or any(len(part) != 2 * k for part in parts):
            fact = f"a field is a pair of lists of {k} expressions, (x, w); given {as_given(fields)}"
            raise WrongType("E718", fact, "vectors([([1, 0], [0, 0])], state) in two dimensions")
        flat = [self._read(e, "a component of a field") for part in parts for e in part]
        return np.array(evaluate(flat, self.state(values)), float).reshape(len(parts), -1)

    def normals(self, values: Mapping[str, float]) -> np.ndarray:
        """phi_a on the frame, (m, k)."""
        flat = np.array(evaluate([e for row in self.form.N for e in row], self.state(values)), float)
        return flat.reshape(self.form.m, self.form.k)

    @property
    def names(self) -> tuple[str, ...]:
        """What a state has a value of: coordinates, velocities, parameters and t."""
        sampler = self.sampler
        return (*(s.name for s in self.system.space), *sampler.known, *sampler.unknown, TIME.name)

    def state(self, given: Mapping[Any, Any]) -> Values:
        """Numbers by name: those of a start, of `path.at(t)` or of a mapping, with the system's parameters.

        Raises:
            WrongType: E241, no values by name; E204, one that is no number.
            InvalidValue: E203, one that is not finite; E230, values that are missing.
        """
        found = by_name(mapping(given, "a state", "E241", "at(equations.start(...))"), "the state")
        time = getattr(given, TIME.name, 0.0 if self.system.autonomous else None)
        known = {
            **self.sampler.known,
            **({} if time is None else {TIME.name: time}),
            **getattr(given, "parameters", {}),
        }
        missing = [name for name in self.names if name not in {**known, **found}]
        if missing:
            raise InvalidValue("E230", f"free: {', '.join(missing)}", Give(tuple(missing)))
        return {name: number(value, str(name)) for name, value in {**known, **found}.items()}

    def _read(self, given: object, what: str) -> Node:
        return read(Reader.of(self.system).read(given, what), self.sampler.graph)

    # --- horizontal fields --------------------------------------------------------------------------------------------

    @cached_property
    def sections(self) -> list[tuple[list[Node], list[Node]]]:
        """Fields (x, w) on the tangent bundle that span V n H: combinations of the lifted generators."""
        if not self.kept:  # everything is horizontal
            return [(x, self.action.shift(x)[1]) for x in self.action.fields]
        found, index = [], {g.name: i for i, g in enumerate(self.given)}
        for section in horizontal(self.system, self.given, self.kept):
            parts = [(read(s, self.sampler.graph), index[name]) for name, s in section.coefficients.items()]
            fields = [[*self.action.fields[i], *self.action.shift(self.action.fields[i])[1]] for _, i in parts]
            columns = zip(*fields, strict=True)
            total = [self.sampler.motion.sum(s * e for (s, _), e in zip(parts, c, strict=True)) for c in columns]
            k = len(total) // 2
            found.append((total[:k], total[k:]))
        return found

    def bracket(self, i: int, j: int, values: Mapping[str, float]) -> np.ndarray:
        """[Y_i, Y_j] of two of the sections, a tangent vector (x, w)."""
        last = len(self.sections) - 1
        (x, w), (y, v) = (self.sections[whole(n, "the number of a section", most=last)] for n in (i, j))
        motion = self.sampler.motion
        states = [*motion.q, *motion.u]
        there = tangent(v, states, [*self.action.places(x), *w])
        back = tangent(w, states, [*self.action.places(y), *v])
        lie = [*self.action.bracket(x, y), *(a - b for a, b in zip(there, back, strict=True))]
        return np.array(evaluate(lie, self.state(values)), float)


def sizes(place: DistributionsAt) -> dict[str, int]:
    """Dimensions by name."""
    named = {"H": place.H, "V": place.V, "V n H": place.VH, "U": place.U, "K": place.K}
    return {name: len(rows) for name, rows in named.items()}


# --- the decomposition H = B + C + D at a state, and the rate along K -------------------------------------------------

# The reconstruction of a reduced motion [cushman1995 Section 5]:
#
#     U = B + K ,    V n H = D + K ,    C = (B + D)_omega in H ,    omega(K_i, eta_j) = delta_ij  with  eta in C
#
# The motion xi lies in U: its part in B projects to the reduced motion, its part along K is what the reduced motion
# does not tell, and  thetadot_i = <dE, eta_i>  [cushman1995 (34)].
#
# The complements that are taken by default are those across K in the kinetic metric of what they move of the place. The
# group keeps that metric, so it keeps them: B and D are G-invariant, as the text asks.


@dataclass(frozen=True, eq=False)
class Decomposition:
    """H = B + C + D at one state.

    Attributes:
        B: rows (b, 2k), a complement of K in U.
        C: rows (c, 2k), the vectors of H with omega(c, B + D) = 0; K is maximal isotropic there.
        D: rows (d, 2k), a complement of K in V n H.
        K: rows (n, 2k), the basis that `eta` and `rates` belong to.
        eta: rows (n, 2k) in C with omega(K_i, eta_j) = delta_ij.
        rates: (n,), the motion's components along K. Without forces thetadot_i = <dE, eta_i>.
        motion: (2k,), the motion without what it does along K: the lift in B.
        group: the motion along K as a combination of the generators, by name.
    """

    B: Rows
    C: Rows
    D: Rows
    K: Rows
    eta: Rows
    rates: np.ndarray
    motion: np.ndarray
    group: dict[str, float]

    def parts(self, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The parts (2k,) of a tangent vector (2k,) of H in B, C and D."""
        rows = np.vstack([self.B, self.C, self.D])
        found = np.linalg.lstsq(rows.T, vector, rcond=None)[0]
        b, c = len(self.B), len(self.B) + len(self.C)
        return (
            np.asarray(found[:b] @ self.B),
            np.asarray(found[b:c] @ self.C),
            np.asarray(found[c:] @ self.D),
        )


def decomposed(place: DistributionsAt, seed: int | None = None) -> Decomposition:
    """Complements of K across it in the kinetic metric, or at random, and what follows from them."""
    # the kinetic metric of what tangent vectors (x, w) move of the place, (2k, 2k)
    k = len(place.local.omega) // 2
    K, W = place.K, np.zeros_like(place.local.omega)
    W[:k, :k] = place.local.omega[:k, k:]
    if seed is None:
        B, D = (span(_across(rows, K, W)) for rows in (place.U, place.VH))
    else:
        rng = np.random.default_rng(seed)
        B, D = complement(K, place.U, rng), complement(K, place.VH, rng)
    C = place.perp(span(B, D))
    # omega(K_i, eta_j) = delta_ij ,  eta_j = a_j C ; what is added along K, which is isotropic, changes nothing there
    eta = _across(np.linalg.lstsq(place.omega(K, C), np.eye(len(K)), rcond=None)[0].T @ C, K, W) if len(K) else K
    # xi = b B + thetadot K + c eta + d D
    every = np.linalg.lstsq(np.vstack([B, K, eta, D]).T, place.xi, rcond=None)[0]
    rates = every[len(B) : len(B) + len(K)]
    along = rates @ K if len(K) else np.zeros_like(place.xi)
    # a tangent vector of V as a combination of the generators
    found = np.linalg.lstsq(place.lifted.T, along, rcond=None)[0]
    combined = dict(zip(place.names, map(float, found), strict=True))
    return Decomposition(B, C, D, K, np.asarray(eta), rates, place.xi - along, combined)


def _across(rows: Rows, K: Rows, W: np.ndarray) -> Rows:
    """The parts of rows that are orthogonal to K."""
    if not len(K):
        return rows
    # b K = 0 in the metric:  rows - (rows W K^T)(K W K^T)^-1 K
    return np.asarray(rows - rows @ W @ K.T @ np.linalg.solve(K @ W @ K.T, K))


# --- subspaces: orthonormal rows --------------------------------------------------------------------------------------

Rows = np.ndarray


def span(*parts: Rows) -> Rows:
    """An orthonormal basis of what the rows span."""
    rows = np.vstack(parts)
    if not rows.size:
        return rows
    _, sizes, basis = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(basis[: count_above(sizes, SAMPLED, SAMPLED)])


def kernel(A: np.ndarray) -> Rows:
    """Rows c with A c = 0."""
    return null_rows(A, SAMPLED, SAMPLED)


def meet(A: Rows, B: Rows) -> Rows:
    """A n B: what lies in A and has no part across B."""
    if not len(A) or not len(B):
        return np.zeros((0, A.shape[1]))
    across = A - A @ B.T @ B
    return span(kernel(across.T) @ A)


def outside(A: Rows, B: Rows) -> float:
    """How far unit vectors of A stand out of B: 0 where A lies in B."""
    if not len(A):
        return 0.0
    return float(np.linalg.norm(A - A @ B.T @ B, 2)) if len(B) else 1.0


def apart(A: Rows, B: Rows) -> float:
    """0 where A and B are the same subspace."""
    return max(outside(A, B), outside(B, A))


def complement(A: Rows, B: Rows, rng: np.random.Generator) -> Rows:
    """A complement of A in B, A lying in B, at random."""
    return span(rng.normal(size=(len(B) - len(A), len(B))) @ B) if len(B) > len(A) else np.zeros((0, B.shape[1]))
