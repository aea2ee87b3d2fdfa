"""System -> Equations: one assumption, one file, one function."""
