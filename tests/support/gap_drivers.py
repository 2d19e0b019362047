"""Kernels of a pair of surfaces over many poses, as Python calls them."""
from __future__ import annotations

from functools import cache
from importlib import import_module
from types import FunctionType

import numpy as np

from pliant.kernels.gaps.derivatives import derivatives, gap_gradient
from pliant.kernels.gaps.point_plane import closest, on_region, radii, region
from pliant.kernels.jit import entry, jit

along = gradient_along = bias = hessian = None  # those of a pair


@jit
def pose(x, e):
    return x[e, 0], x[e, 1], x[e, 2], x[e, 3], x[e, 4], x[e, 5], x[e, 6], x[e, 7], x[e, 8], x[e, 9], x[e, 10], x[e, 11]


def values(val, at, A, B, out):
    """Columns: (g, n, c), region, margin, radii; then (g, n, c) of the region held."""
    for e in range(A.shape[0]):
        a, b = pose(A, e), pose(B, e)
        x, (number, margin), R = closest(val, at, a, b), region(val, at, a, b), radii(val, at, a, b)
        y = on_region(val, at, a, b, number)
        for k in range(7):
            out[e, k], out[e, 11 + k] = x[k], y[k]
        out[e, 7], out[e, 8], out[e, 9], out[e, 10] = number, margin, R[0], R[1]


def derived(val, at, A, B, U, out):
    """Columns: G; derivatives of (g, n, c), of G, along the twelve motions; H; G' . u for the rates U."""
    for e in range(A.shape[0]):
        a, b = pose(A, e), pose(B, e)
        G = gap_gradient(closest(val, at, a, b), a, b)
        for k in range(12):
            out[e, k] = G[k]
        for j in range(12):
            x = along(val, at, a, b, j)
            for k in range(7):
                out[e, 12 + 12 * k + j] = x[k]
            u = U[e, 12 + 12 * j:24 + 12 * j]
            y = gradient_along(val, at, a, b, (u[0], u[1], u[2]), (u[3], u[4], u[5]), (u[6], u[7], u[8]), (u[9], u[10], u[11]))
            for k in range(12):
                out[e, 96 + 12 * k + j] = y[k]
        hessian(val, at, a, b, 1.0, out[e], 240)
        out[e, 384] = bias(val, at, a, b, U[e, :12], 0)


def in_complex(val, at, A, B, out):
    """Columns: (g, n, c), G, H, of complex poses and sizes."""
    for e in range(A.shape[0]):
        a, b = pose(A, e), pose(B, e)
        x = closest(val, at, a, b)
        G = gap_gradient(x, a, b)
        for k in range(7):
            out[e, k] = x[k]
        for k in range(12):
            out[e, 7 + k] = G[k]
        hessian(val, at, a, b, 1.0, out[e], 19)


def _made(source, name, **parts):
    kernel = FunctionType(source.__code__, {**source.__globals__, **parts}, f"{source.__name__}_{name}")
    kernel.__module__, kernel.__qualname__ = source.__module__, f"{source.__qualname__}_{name}"
    return entry(kernel)


class Driver:
    """Of a module in kernels.gaps."""

    def __init__(self, module):
        name = module.__name__.rpartition(".")[2]
        self.values_of = _made(values, name, closest=module.closest, region=module.region, on_region=module.on_region, radii=module.radii)
        self.derived_of = _made(derived, name, closest=module.closest, **derivatives(name, module.closest)._asdict())

        self.in_complex_of = _made(in_complex, name, closest=module.closest, hessian=derivatives(name, module.closest).hessian)

    def in_complex(self, sizes, A, B):
        out = np.full((len(A), 163), np.nan + 0j)
        self.in_complex_of(np.concatenate([[9.81], sizes]), 1, A, B, out)
        return out

    def values(self, sizes, A, B):
        out = np.full((len(A), 18), np.nan)
        self.values_of(np.concatenate([[9.81], sizes]), 1, A, B, out)
        return Found(out)

    def derived(self, sizes, A, B, U=None):
        U = np.ones((len(A), 12)) if U is None else U
        units = np.broadcast_to(np.eye(12).ravel(), (len(A), 144))
        out = np.full((len(A), 385), np.nan)
        self.derived_of(np.concatenate([[9.81], sizes]), 1, A, B, np.concatenate([U, units], axis=1), out)
        return Derived(out)


@cache
def driver(name):
    return Driver(import_module(f"pliant.kernels.gaps.{name}"))


class Found:
    def __init__(self, out):
        self.g, self.n, self.c = out[:, 0], out[:, 1:4], out[:, 4:7]
        self.region, self.margin, self.radii, self.held, self.all = out[:, 7], out[:, 8], out[:, 9:11], out[:, 11:], out[:, :7]


class Derived:
    def __init__(self, out):
        self.G, self.by, self.G_by = out[:, :12], out[:, 12:96].reshape(-1, 7, 12), out[:, 96:240].reshape(-1, 12, 12)
        self.H, self.bias = out[:, 240:384].reshape(-1, 12, 12), out[:, 384]


def rotations(rng, n):
    q = rng.normal(size=(n, 4))
    w, x, y, z = (q / np.linalg.norm(q, axis=1)[:, None]).T
    return np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                     2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1)


def poses(rng, n, spread):
    """Random poses, 12 numbers each."""
    return np.concatenate([rng.uniform(-spread, spread, size=(n, 3)), rotations(rng, n)], axis=1)


def turn(vectors):
    """exp([r]) for rows r."""
    t = np.linalg.norm(vectors, axis=1)[:, None, None] + 1e-30
    K = np.zeros((len(vectors), 3, 3))
    for i, j, k, s in ((0, 1, 2, -1), (1, 0, 2, 1), (0, 2, 1, 1), (2, 0, 1, -1), (1, 2, 0, -1), (2, 1, 0, 1)):
        K[:, i, j] = s * vectors[:, k]
    return np.eye(3) + np.sin(t) / t * K + (1 - np.cos(t)) / t**2 * K @ K


def turned(A, w):
    """Derivative of the axes of poses, 9 numbers each, at angular velocities w."""
    cross = np.stack([np.cross(w, unit) for unit in np.eye(3)], axis=2)
    return (cross @ A[:, 3:].reshape(-1, 3, 3)).reshape(-1, 9)


def displaced(A, motion, h):
    """Poses moved by finite h along a motion of six, or along velocities (n, 6)."""
    V = np.broadcast_to(np.eye(6)[motion] if np.ndim(motion) == 0 else motion, (len(A), 6))
    R = turn(h * V[:, 3:]) @ A[:, 3:].reshape(-1, 3, 3)
    return np.concatenate([A[:, :3] + h * V[:, :3], R.reshape(-1, 9)], axis=1)
