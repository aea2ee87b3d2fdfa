"""Families of motions: how fast neighbours part (`lyapunov`), motions that come back (`periodic`), and steady motions
followed in a parameter (`branch`).

The first two carry a motion and its derivatives together, as `two_point` does; the last works on rates and their
slopes.
"""
