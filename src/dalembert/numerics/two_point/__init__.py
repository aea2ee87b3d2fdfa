"""Curves of the equations between two given ends: a search by shooting from many points, checked by collocation.

Unknown are the start velocities that the constraints leave free, and the multipliers where they are states. The end
map takes them to what is missed at the end; its zeros are the curves.

- ``two_point``: the function. ``end_conditions`` reads what is wanted at both ends and says what a state misses of it;
  ``boundary_conditions`` makes of them a map with as many conditions as unknowns, or a refusal that counts both.
- The map: ``shooting``, with its derivatives and damped steps to a zero. ``differentiated_motion`` is one motion with
  them: smooth, or in stretches where contacts, walls or jumps may be met.
- The search: ``multistart`` tries points in turn, which ``initial_guesses`` draws in scales that it measures.
- A zero: ``extremal_curve`` makes it precise, knows it from others and counts its conjugate points; ``collocation``
  integrates its action and solves the same problem by another route.
- What is handed out: ``extremals``.

Nothing proves that no other extremal exists.

    found = two_point(equations, start={"x": 0, "y": 0}, end={"x": 1, "y": 0}, duration=2.0)
    found[0].action, found[0].conjugate, found[0].checked.agrees
"""

from .collocation import Checked
from .extremals import Extremal, Extremals
from .two_point import two_point

__all__ = ["Checked", "Extremal", "Extremals", "two_point"]
