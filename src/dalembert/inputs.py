"""What drives the inputs of a run, besides numbers, text with a unit and formulas of t and states.

`tabulated` holds values between times or joins them, `sampled` asks a function of Python at equal steps as a digital
controller does, and `environment` lets an agent of Gymnasium learn to drive a plant. What a system lets be given at run
time it declares: ``da.System(..., inputs="tau_l tau_r")``.

da.simulate(equations, start, until=5.0, inputs={"tau_l": da.inputs.tabulated(t, tau, "linear"), "tau_r": 0.1})
"""

from .numerics.inputs.input_signal import sampled as sampled
from .numerics.inputs.input_signal import tabulated as tabulated
from .numerics.plant.environment import environment as environment
