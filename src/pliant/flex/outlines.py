"""How a section looks: its corners, for pictures of beams."""
from __future__ import annotations

import numpy as np

from .section import Section

ROUND = 16  # corners of a circle


def outline_of(section: Section) -> list[list[float]]:
    """Corners (y, z) [m] of a section, from its values: a circle if Iy = Iz = J / 2, else the rectangle with its moments."""
    A, Iy, Iz, J = section.area, section.Iy, section.Iz, section.J
    if section.Iyz == 0 and abs(Iy - Iz) <= 1e-9 * Iy and abs(J - Iy - Iz) <= 1e-9 * J:
        s, r = 2 * np.pi * np.arange(ROUND) / ROUND, np.sqrt((4 * Iy / A + A / np.pi) / 2)
        return [[float(r * np.cos(x)), float(r * np.sin(x))] for x in s]
    Q, first, second = section.principal
    corners = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)]) * np.sqrt(3 * np.array([first, second]) / A)
    return [[float(x) for x in p] for p in corners @ Q[1:, 1:].T]
