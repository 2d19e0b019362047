"""A row of results: t, dissipated energy, work, q, v, a, lam, H, one after the other. The one place that knows where each begins."""
from itertools import pairwise

import numpy as np

Q = 3  # where q begins


def row_width(n_q: int, n: int, histories: int) -> int:
    """Length of a row of results."""
    return Q + n_q + 3 * n + histories


def parts(rows: np.ndarray, n_q: int, n: int) -> dict[str, np.ndarray]:
    """Views of the columns of rows by name."""
    ends = np.cumsum([Q, n_q, n, n, n])
    q, v, a, lam = (rows[:, i:j] for i, j in pairwise(ends))
    return {"t": rows[:, 0], "dissipated": rows[:, 1], "work": rows[:, 2], "q": q, "v": v, "a": a, "lam": lam, "H": rows[:, ends[-1]:]}
