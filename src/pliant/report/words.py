"""Directions in words."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

LETTERS = "xyz"
NEAR = 1e-5  # of unit vectors


class Nouns(NamedTuple):
    """What is along and what is about a direction."""
    along: str
    about: str


MOTIONS = Nouns("translation{s} along {u}", "rotation{s} about {u}")
REACTIONS = Nouns("force{s} along {u}", "torque{s} about {u}")


def direction(u: np.ndarray, axis: np.ndarray | None = None) -> str:
    """A unit vector: a world axis, the joint's axis, or numbers."""
    for k, letter in enumerate(LETTERS):
        if abs(abs(u[k]) - 1) < NEAR:
            return letter
    if axis is not None and abs(abs(u @ axis) - 1) < NEAR:
        return f"the joint's axis {vector(axis)}"
    u = u if u[int(np.argmax(abs(u) > 0.3))] > 0 else -u
    return vector(u)


def vector(u: np.ndarray) -> str:
    """Rounded, without minus zeros."""
    return "(" + ", ".join(f"{round(float(x), 3) + 0.0:g}" for x in u) + ")"


def span(vectors: np.ndarray, axis: np.ndarray | None = None) -> str:
    """The space that rows span: 'x', 'x and y', 'the directions across (0.6, 0.8, 0)', 'all axes'."""
    _, S, V = np.linalg.svd(vectors)
    n = int((1e-6 * max(S.max(initial=0.0), 1e-300) < S).sum())
    if n == 3:
        return "x, y and z"
    if n == 2:
        word = direction(V[2], axis)
        if word in LETTERS:
            return " and ".join(x for x in LETTERS if x != word)
        return f"all directions across {word}"
    return direction(V[0], axis)


def describe(rows: np.ndarray, nouns: Nouns, axis: np.ndarray | None = None) -> str:
    """The space spanned by functionals (displacements, rotations), each row of six: 'translation along z and rotations about x and y'."""
    _, S, V = np.linalg.svd(rows)
    F = V[:int((1e-6 * max(S.max(initial=0.0), 1e-6) < S).sum())]
    if not len(F):
        return ""
    along, about = _null(F[:, 3:]) @ F[:, :3], _null(F[:, :3]) @ F[:, 3:]
    mixed = len(F) - len(along) - len(about)
    parts = [(noun, part) for noun, part in zip(nouns, (along, about), strict=True) if len(part)]
    words = [noun.format(s="s" * (len(part) > 1), u=span(part, axis)) for noun, part in parts]
    if mixed:
        first, second = (noun.partition("{")[0] for noun in nouns)
        words.append(f"{'a combination' if mixed == 1 else f'{mixed} combinations'} of {first} and {second}")
    return ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + words[-1]


def _null(part: np.ndarray) -> np.ndarray:
    """Combinations of rows that vanish, shape (k, rows)."""
    U, S, _ = np.linalg.svd(part)
    return U[:, int((S > 1e-6).sum()):].T
