"""Joints of moves one after the other: coordinates from a pose, rates from velocities, in axes of the joint on the inner body."""
from __future__ import annotations

import numpy as np

from ..items.declarations import SLIDES, TURNS, turn


def coordinates(moves: tuple[str, ...], way: np.ndarray, R: np.ndarray) -> np.ndarray:
    """Their values where the moves lead by ``way`` and to the axes R: turns first, since slides are linear then."""
    q = np.zeros(len(moves))
    turns, slides = ([k for k, move in enumerate(moves) if move in kind] for kind in (TURNS, SLIDES))
    q[turns] = _angles([TURNS.index(moves[k]) for k in turns], R)
    axes = columns(moves, q)[:3, slides]  # of slides these depend on turns alone
    q[slides] = np.linalg.lstsq(axes, way, rcond=None)[0]
    return q


def _angles(axes: list[int], R: np.ndarray) -> list[float]:
    """Of turns about different axes one after the other that make R; of three the second is within a right angle."""
    if not axes:
        return []
    first = axes[0]
    last = axes[-1] if len(axes) > 1 else (first + 1) % 3
    seen = R[:, last]  # turned out of the plane across the first axis by the second, in it by the first alone
    e, f = np.eye(3)[last], np.cross(np.eye(3)[first], np.eye(3)[last])
    angle = float(np.arctan2(f @ seen, e @ seen))
    return [angle, *_angles(axes[1:], turn(first, -angle) @ R)]


def columns(moves: tuple[str, ...], q: np.ndarray) -> np.ndarray:
    """Velocity and angular velocity of the outer joint for every rate, shape (6, n)."""
    S, R = np.zeros((6, len(moves))), np.eye(3)
    for k, move in enumerate(moves):
        if move in SLIDES:
            e = R[:, SLIDES.index(move)]
            S[:3, :k] += np.cross(S[3:, :k].T, q[k] * e).T
            S[:3, k] = e
        else:
            S[3:, k] = R[:, TURNS.index(move)]
            R = R @ turn(TURNS.index(move), q[k])
    return S


def rates(moves: tuple[str, ...], q: np.ndarray, slip: np.ndarray, spin: np.ndarray) -> np.ndarray:
    """Their values where the joint moves by ``slip`` and ``spin``."""
    return np.linalg.lstsq(columns(moves, q), np.concatenate([slip, spin]), rcond=None)[0]
