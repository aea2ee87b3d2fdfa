"""A curve held against what a system says along it: R = EL(L) - Q, the normals N and EL(phi), and their sizes."""

from __future__ import annotations

import numpy as np

from ..calculus.rank import sizes
from ..model.system import System
from .law_along import Law, Said
from .sampled import Sampled


class Rows:
    """R, N and EL(phi) along a curve: (T, k), (T, m, k), (T, m, k)."""

    def __init__(self, system: System, along: Sampled, law: Law) -> None:
        self.t, self.pieces, self.span = along.t, along.pieces, along.span
        said = law(along.known, along.u, along.udot, along.span)
        self.R, self.N, self.E = said.R, said.N, said.E
        self.sizes, self.units = said.sizes, said.units
        self.constraints = self._kept(system, said, law, along)

    def _kept(self, system: System, said: Said, law: Law, along: Sampled) -> dict[str, float]:
        """Largest |phi|, and |f| of those on positions, over the size of the terms."""
        phi, names = said.phi, [c.name for c in system.constraints]
        speed = (np.abs(self.N) @ np.abs(along.u)[..., None])[..., 0].max(axis=0, initial=0.0)
        still = np.abs(phi - (self.N @ along.u[..., None])[..., 0]).max(axis=0, initial=0.0)
        off = np.abs(phi).max(axis=0, initial=0.0) / np.where(speed + still > 0, speed + still, 1.0)
        found = dict(zip(names, map(float, off), strict=True))
        first = len(law.nodes) - len(law.places)
        for name, node, values in zip(law.places, law.nodes[first:], said.f.T, strict=True):
            # its terms, and what it changes by where the largest coordinate moves by itself
            moved = np.abs(self.N[:, names.index(name)]).max(initial=0.0) * np.abs(along.q).max()
            size = float(np.max(sizes(node, along.known))) + float(moved)
            found[name] = max(found[name], float(np.abs(values).max()) / (size or 1.0))
        return found

    def reactions(self) -> tuple[np.ndarray, np.ndarray]:
        """What R leaves over of the span of N, and mu (T, m), of least norm."""
        if not self.N.shape[1]:
            return self.R, np.zeros((0, 0))
        mu = (np.linalg.pinv(np.swapaxes(self.N, 1, 2), rcond=1e-10) @ self.R[..., None])[..., 0]
        return self.R - (np.swapaxes(self.N, 1, 2) @ mu[..., None])[..., 0], mu
