"""Curves of the equations between two given ends: a search by shooting from many points, checked by collocation.

Unknown are the start velocities that the constraints leave free, and the multipliers where they are states. The end
map takes them to what is missed at the end; its zeros are the curves.

- ``two_point``: the function. ``read_ends`` reads the ends, ``setting`` makes of them a map with as many conditions as
  unknowns, or a refusal that counts both.
- The map: ``shooting``, with its derivatives; ``ends`` says what is missed. ``flight`` is one motion with them: smooth,
  carried by ``flow``, or in stretches where something may be met that ``on_the_way`` knows: contacts, walls, jumps.
- The search: ``search`` tries points in turn; ``guesses`` draws them, in scales that ``reach`` measures; ``newton``
  takes damped steps to a zero.
- A zero: ``curve`` makes it precise and knows it from others; ``action`` integrates its action, ``conjugate`` counts
  its conjugate points, ``collocation`` solves the same problem by another route; ``made_again`` runs a motion once more
  that changes on its way.
- What is handed out: ``extremals``; ``not_found`` where nothing converged.

Nothing proves that no other extremal exists.

    found = two_point(equations, start={"x": 0, "y": 0}, end={"x": 1, "y": 0}, duration=2.0)
    found[0].action, found[0].conjugate, found[0].checked.agrees
"""

from .collocation import Checked
from .extremals import Extremal, Extremals
from .two_point import two_point

__all__ = ["Checked", "Extremal", "Extremals", "two_point"]
