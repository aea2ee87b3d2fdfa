"""Programs for people: they may import everything and contain no mechanics."""
