"""Many runs of one set of equations, in the lanes of the vector registers."""
