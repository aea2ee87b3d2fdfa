"""Inputs at run time: numbers, tables, formulas and functions, each made a formula with coefficients that jump.

    w = c ,   w = c0 + c1 (t - t_k) + ... ,   w = f(t, q, u) ,   w = the value at the last sample

- ``input_signal``: values at times, held or joined by lines or a cubic spline, functions of Python asked at equal
  steps, and all else in one shape, `Drive`: a formula, and from when on its coefficients have which values. Between
  these times nothing of an input changes that the compiled equations do not know.
- ``run_inputs``: all inputs of one run together, read and checked against the equations.
"""
