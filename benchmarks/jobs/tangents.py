"""13 tangents of the disc over 10 s: by 8 values of the start and 5 parameters."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from .. import disc
from ..contest import Bar, Contest, Job, Measured, against_error, alternate, need
from ..yardsticks import cache_folder

END, RTOL, ATOL = 10.0, 1e-12, 1e-14
FREE = ("x", "y", "theta", "phi", "psi", "vtheta", "vphi", "vpsi")  # vx and vy follow from rolling
ROWS = ("x", "y", "theta", "phi", "psi", "vtheta", "vphi")  # what is compared: named alike on both sides


def _ours() -> Any:
    sensitivities = disc.public("sensitivities")
    by = [*FREE, *disc.PARAMETERS]
    return sensitivities(disc.equations(), disc.start(), until=END, by=by, samples=[END], rtol=RTOL, atol=ATOL)


def _our_matrix() -> np.ndarray:
    """d ROWS/d (FREE, parameters) at END, shape (7, 13)."""
    found = _ours()
    return np.array([[float(found[row, by][-1]) for by in (*FREE, *disc.PARAMETERS)] for row in ROWS])


@cache
def _heyoka() -> Callable[[], np.ndarray]:
    """d y/d (y0, p) at END of the hand-reduced equations, shape (8, 13), by `var_ode_sys` at eps, fully unrolled."""
    os.environ.setdefault("HEYOKA_CACHE_DIR", str(cache_folder() / "heyoka"))  # compiling it takes half a minute
    hy = need("heyoka")
    y, p = hy.make_vars(*(f"y{i}" for i in range(8))), [hy.par[i] for i in range(5)]
    rates = list(zip(y, disc.rates(hy, y, p), strict=True))
    system = hy.var_ode_sys(rates, [*y, *p], order=1)
    run = hy.taylor_adaptive(system, disc.reduced_start(), pars=disc.P)
    first = run.state.copy()

    def go() -> np.ndarray:
        run.time, run.state[:] = 0.0, first
        run.propagate_until(END)
        return np.array(run.state[8:]).reshape(8, 13)

    return go


@cache
def _jax() -> Callable[[], np.ndarray]:
    """The same by `jacfwd` through diffrax's order 8."""
    jax, dx = need("jax"), need("diffrax")
    jax.config.update("jax_enable_x64", True)
    jnp = jax.numpy

    def rates(t: Any, y: Any, p: Any) -> Any:
        return jnp.stack([jnp.asarray(v) for v in disc.rates(jnp, y, p)])

    def flow(z: Any) -> Any:
        return dx.diffeqsolve(
            dx.ODETerm(rates),
            dx.Dopri8(),
            0.0,
            END,
            1e-3,
            z[:8],
            z[8:],
            stepsize_controller=dx.PIDController(rtol=RTOL, atol=RTOL),
            saveat=dx.SaveAt(t1=True),
            max_steps=None,
            adjoint=dx.ForwardMode(),
        ).ys[-1]

    jacobian, z = jax.jit(jax.jacfwd(flow)), jnp.concatenate([disc.reduced_start(), disc.P])
    return lambda: np.asarray(jacobian(z).block_until_ready())


def _in_our_terms(D: np.ndarray) -> np.ndarray:
    """From derivatives by w(0) to derivatives by vpsi(0):  w = vpsi + cos(theta) vphi."""
    theta, vphi = disc.GIVEN["theta"], disc.GIVEN["vphi"]
    found = D[:7].copy()
    found[:, 2] -= np.sin(theta) * vphi * D[:7, 7]
    found[:, 6] += np.cos(theta) * D[:7, 7]
    return found


def _against(theirs: Callable[[], Callable[[], np.ndarray]]) -> Measured:
    _ours()
    return alternate(_ours, theirs(), rounds=9).gain()


def _error() -> Measured:
    """Largest difference from heyoka at eps, ours over JAX's."""
    _ours()
    truth = _in_our_terms(_heyoka()())
    return against_error(disc.worst(_our_matrix(), truth), disc.worst(_in_our_terms(_jax()()), truth))


JOB = Job(
    "tangents",
    "13 tangents of the disc over 10 s: times faster",
    [
        Contest("heyoka", "heyoka var_ode_sys, eps", Bar(">=", 3.0), lambda: _against(_heyoka)),
        Contest("JAX", "JAX and diffrax, 1e-12", Bar(">=", 3.0), lambda: _against(_jax)),
        Contest("error", "  error over theirs", None, _error),
    ],
)
