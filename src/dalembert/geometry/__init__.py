"""System -> verdicts and splittings: what a set of constraints is, before any principle is chosen."""
