"""Consistent initial positions and velocities, from input that may be imperfect."""
