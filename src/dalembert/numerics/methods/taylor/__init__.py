"""Integration by Taylor series: the equations' own coefficients, order by order, to machine precision."""
