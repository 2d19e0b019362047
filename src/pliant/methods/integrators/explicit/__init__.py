"""Explicit methods: Runge-Kutta, Adams, central differences."""
