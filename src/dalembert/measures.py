"""Numbers measured on a path or a record, with their uncertainties.

Zeros and events (`crossings`), returns (`period`, `amplitudes`, `dominant_frequency`), growth (`growth_rate`), shape
(`fitted_circle`), the time of leaving (`exit_time`), the distance of a record from a path (`deviations`); and `camera`,
what a camera sees of a motion, for a fit.

    da.measures.period(path, "x")
"""

from .experiment.measures import amplitudes as amplitudes
from .experiment.measures import camera as camera
from .experiment.measures import crossings as crossings
from .experiment.measures import dominant_frequency as dominant_frequency
from .experiment.measures import exit_time as exit_time
from .experiment.measures import fitted_circle as fitted_circle
from .experiment.measures import growth_rate as growth_rate
from .experiment.measures import period as period
from .experiment.residuals import deviations as deviations
