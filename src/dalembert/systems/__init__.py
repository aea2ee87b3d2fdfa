"""The gallery: one classical system, one file."""
