"""A figure that a notebook shows by itself; kept apart, since importing matplotlib takes a while."""
from __future__ import annotations

import io

from matplotlib.figure import Figure


class ShownFigure(Figure):
    """matplotlib's own figures are shown in notebooks only where pyplot has drawn them."""

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.savefig(file, format="png", dpi=100)
        return file.getvalue()
