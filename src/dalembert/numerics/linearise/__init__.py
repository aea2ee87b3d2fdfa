"""Linear models of a motion: about a state or along a path, `linearise`; what they are, `linear` and `along`."""
