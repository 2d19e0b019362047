"""Implicit methods: generalized-alpha, Radau IIA, BDF, in absolute and joint coordinates."""
