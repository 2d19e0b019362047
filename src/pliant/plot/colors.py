"""Colours of bodies and lines, in pictures and on the page."""

COLORS = ("#1f77b4", "#d95f02", "#2a9d5c", "#b5179e", "#8c6d1f", "#17a2b8", "#c1121f", "#6a4c93", "#5f6b7a", "#7a9e00")
