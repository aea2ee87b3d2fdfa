"""What is given: space, constraints, forces, and the system they make. It derives nothing."""
