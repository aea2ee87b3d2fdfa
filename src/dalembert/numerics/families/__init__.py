"""Families of motions: how fast neighbours part (`lyapunov`), motions that come back (`periodic`).

Both carry a motion and its derivatives together, as `two_point` does.
"""
