"""From a reduced motion back to the full one, and what a loop of the shape leaves behind."""
