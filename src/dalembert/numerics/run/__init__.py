"""One run: steps, events and limits, gathered into a path with its audit."""
