"""Events on the expression graph, compiled, and their zeros on the path."""
