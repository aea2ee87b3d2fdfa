"""Families of periodic motions.

`continue_periodic` follows a motion that comes back, found by `da.periodic`, in a parameter of the system, or in its
period, its energy or a value at its start where what is conserved makes families without a parameter. It says where the
stability changes and which other families begin there; `nouns.Orbits.switch` leads onto them. Steady motions are
followed by `da.continue_steady`; `swing` begins the family about a steady one, `nouns.Branch.switch` that which is born
at a Hopf point, and `continue_special` follows folds, Hopf points and branch points in a second parameter.

    family = da.families.continue_periodic(orbit, parameter="mu", over=(0.01, 0.5))
"""

from .apps.families import continue_periodic as continue_periodic
from .apps.families import continue_special as continue_special
from .apps.families import swing as swing
