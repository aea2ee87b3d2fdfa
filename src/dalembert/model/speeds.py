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
    return [
        warn("W216", f"{name} = {state[name]:.3g} m/s is faster than light, {LIGHT:.3g} m/s: in which unit is it?", 7)
        for name in too_fast(system, state)[:1]
    ]


def passing_notes(system: System, first: Mapping[str, float], most: Mapping[str, float]) -> list[Note]:
    """W216 of a run: a speed that comes to lie above that of light, by a force or a mass in another unit."""
    begun = too_fast(system, first)
    fact = f"m/s is reached, faster than light, {LIGHT:.3g} m/s: in which units are the forces and the masses?"
    return [Note("W216", f"{name} = {most[name]:.3g} {fact}") for name in too_fast(system, most)[:1] if not begun]


def too_fast(system: System, state: Mapping[str, float]) -> list[str]:
    """Velocities that are known to be speeds, and above that of light."""
    fast = [u for u in system.space.velocities if abs(state.get(u.name, 0.0)) > LIGHT]
    return [u.name for u in fast if system.unit(u) == "m/s"]
