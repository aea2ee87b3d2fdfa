"""Equations -> Trajectory: the only place that compiles and steps; it never sees a principle."""
