"""Exact identities on the graph, and the cheapest way to write the same values.

- ``finite_field``: a value of every node in a finite ring; what is equal, what is 0, what depends on what in truth.
- ``exact_rank``: of matrices of nodes, bounded by residues from above, and from below by numbers of any size with their
  errors measured (`Wide`): what is clearly not 0, though floating point takes it for 0.
- ``laurent``: nodes as Laurent polynomials in the state, sin^2 + cos^2 = 1 used up, and back.
- ``shared_sums``: long sums that contain other sums share them, so that chains cost in proportion to their links.
- ``operation_count`` takes the best of these for what is computed together.
"""
