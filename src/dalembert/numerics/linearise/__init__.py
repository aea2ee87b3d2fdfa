"""Linear models of a motion about a state or along a path: `linearisation` makes them, `linear_model` is one."""
