"""What `da.sweep` runs, and what it left on disk.

A sweep runs a grid, whose axes are arrays of values, or a table, whose columns go together: `table` makes one from
columns, `samples` draws one from a box. `stored` opens the result of a finished sweep; `summary` says how its members
ended, with a row for each.

    da.sweep(equations, starts=da.ensembles.samples(1000, x=(-1, 1), vx=(0, 2)), until=5)
"""

from .apps.sweep_report import summary as summary
from .numerics.sweep import samples as samples
from .numerics.sweep import stored as stored
from .numerics.sweep import table as table
