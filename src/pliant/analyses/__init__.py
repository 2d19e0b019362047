"""Analyses besides simulation: static equilibrium, modes, linearisation."""
