"""What is said of constraints unasked: little work, and where that is not enough, how to have the rest (N148)."""

import dalembert as da
from dalembert.systems import penny


def codes(equations):
    return {note.code for note in equations.notes}


def test_long_constraints_are_not_looked_at_unasked_and_that_is_said():
    long = " + ".join(f"{k}*sin(x/{k}*y)" for k in range(1, 200))
    energy = "(dot(x)^2 + dot(y)^2 + dot(z)^2)/2"
    system = da.System(da.coordinates("x y z"), energy, {"c": f"dot(z) - ({long})/100*dot(x)"})
    equations = da.nonholonomic(system)
    assert "N148" in codes(equations)
    assert "da.examine(system)" in str(equations)


def test_short_ones_are_looked_at():
    assert "N148" not in codes(da.nonholonomic(penny.system()))
