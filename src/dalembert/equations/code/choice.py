"""How many steps a program takes between two rows where nobody says it: so many that half of them change nothing."""

from __future__ import annotations

# Of the size of each number; from so many steps on, which a force that changes with time does not meet in its zeros,
# to so many, at which it is said that they are not enough: at jumps no number would be.
CHOICE = {"tolerance": "1e-9", "least": "100", "finest": "6400"}
