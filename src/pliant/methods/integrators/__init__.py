"""Time integration: the loop, and the step of every method."""
