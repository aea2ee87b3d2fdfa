"""Machines: bodies and joints, wheels and loops, and the files of robots."""
