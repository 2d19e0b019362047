"""Compiled mathematics that knows no model: rotations, tiles, programs, expressions, and how all of it is compiled."""
