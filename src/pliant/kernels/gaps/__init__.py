"""Gaps between surfaces, one module for each kind of pair."""
