"""Phases along a motion: how fast, and how far, it goes along K = U n V [cushman1995 (33), (34)].

    xi = xi_B + c_a zeta^a ,    c_a zeta^a = thetadot_i d/dtheta_i in K ,    thetadot_i = <dE, eta_i>

xi_B is the lift of the reduced motion that is orthogonal to K in the kinetic metric; the rest is a velocity c in the
Lie algebra of the group. Where the generators commute the motion is the lift, moved by the integrals of c: quadratures.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..argument_checks import public
from ..errors import InvalidValue, WrongType, kind_of
from ..errors.remedies import Call
from ..geometry.distributions import Distributions, distributions, needs_linear
from ..model.system import System
from ..trajectory import Trajectory

_ZERO = 1e-12  # structure constants below count as 0
_SPAN, _WEIGHT = np.polynomial.legendre.leggauss(3)


@dataclass(frozen=True, eq=False)
class Phases:
    """The motion along K.

    Attributes:
        t: (n,), the path's times.
        rates: c_a(t) (n,) by generator, in the unit of its coordinate over time.
        dimension: of K, the same all along the path.
        commute: do the generators commute?
    """

    t: np.ndarray
    rates: dict[str, np.ndarray]
    dimension: int
    commute: bool
    _gained: dict[str, np.ndarray]

    @property
    def phases(self) -> dict[str, np.ndarray]:
        """The integrals of the rates from the path's beginning, (n,) by generator.

        Raises:
            InvalidValue: E124, the generators do not commute: the displacement is no integral of the rates.
        """
        if not self.commute:
            fact = "the generators do not commute: what the rates add up to is an ordered product"
            raise InvalidValue("E124", fact, ("give generators that commute, or use the rates; ", Call("reconstruct")))
        return dict(self._gained)

    def __str__(self) -> str:
        lines = [f"motion along K, {self.dimension} dimension{'' if self.dimension == 1 else 's'}"]
        for name, rate in self.rates.items():
            phase = f", phase {self._gained[name][-1]:.8g}" if self.commute else ""
            lines.append(f"  {name:<12} rate {rate[0]:.6g} at first, {rate[-1]:.6g} at last{phase}")
        return "\n".join(lines)

    __repr__ = __str__


@public
def phases(system: System, path: Trajectory, symmetry: object = None) -> Phases:
    """The rates along K of a motion, by generator, and the phases they add up to.

    The lift that they are counted from is the one in U that is orthogonal to K in the kinetic metric.

    Args:
        system: with constraints linear in the velocities.
        path: a run of it.
        symmetry: generators as for `System`; by default those that the system declares.

    Raises:
        WrongType: E101, not a system; E307, no path.
        InvalidValue: E124, constraints that are not linear, or K changes its dimension along the path; E125, no
            generators; E122, E123 they are no symmetry, or no algebra; E230, the path is one of another system.
    """
    work = distributions(system, symmetry)
    needs_linear(system)
    if not isinstance(path, Trajectory):
        raise WrongType("E307", f"phases needs a path, not {kind_of(path)}", "da.simulate(equations, start, 10)")
    if not work.given:
        raise InvalidValue("E125", "there are no generators: K is 0", 'da.symmetry.phases(system, path, "x y")')
    work.action.check()
    rates, sizes = _rates(work, path, path.t)
    if len(sizes) > 1:
        fact = f"K has {' or '.join(map(str, sorted(sizes)))} dimensions along the path"
        raise InvalidValue("E124", fact, "give a shorter path, or another group")
    names = [g.name for g in work.given]
    commute = bool(np.abs(work.action.structure).max(initial=0.0) < _ZERO)
    gained = _integrals(work, path, len(names)) if commute else np.zeros((len(path.t), len(names)))
    rated, added = (dict(zip(names, table.T, strict=True)) for table in (rates, gained))
    return Phases(path.t, rated, sizes.pop(), commute, added)


def _rates(work: Distributions, path: Trajectory, times: np.ndarray) -> tuple[np.ndarray, set[int]]:
    """c_a (n, g) at these times, and the dimensions of K."""
    known = {name: value for name, value in path.provenance.get("parameters", {}).items() if name in work.names}
    found, sizes = [], set()
    for t in times:
        split = work.at({**known, **path.state(float(t))}).decomposition
        found.append(list(split.group.values()))
        sizes.add(len(split.K))
    return np.array(found, float), sizes


def _integrals(work: Distributions, path: Trajectory, count: int) -> np.ndarray:
    """The integrals of the rates (n, g) from the beginning, by three nodes of Gauss in each interval."""
    t = path.t
    middle, half = (t[1:] + t[:-1]) / 2, np.diff(t) / 2
    times = middle[:, None] + half[:, None] * _SPAN
    rates, _ = _rates(work, path, times.ravel())
    gained = np.einsum("n,s,nsg->ng", half, _WEIGHT, rates.reshape(len(half), len(_SPAN), count))
    return np.vstack([np.zeros((1, count)), np.cumsum(gained, axis=0)])
