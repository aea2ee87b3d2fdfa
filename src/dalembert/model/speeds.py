"""Speeds that nothing has: above that of light, where the units are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..errors import Note, warn

if TYPE_CHECKING:
    from .system import System

LIGHT = 299_792_458.0  # m/s


def light_notes(system: System, state: Mapping[str, float]) -> list[Note]:
    """W216: a speed above that of light, most often one in mm/s or another unit; or a force in one."""
    fast = [u for u in system.space.velocities if abs(state.get(u.name, 0.0)) > LIGHT]
    told = [u.name for u in fast if system.unit(u) == "m/s"]
    return [
        warn("W216", f"{name} = {state[name]:.3g} m/s is faster than light, {LIGHT:.3g} m/s: in which unit is it?", 7)
        for name in told[:1]
    ]
