"""Distances and normals of pairs of shapes by the library coal, which was written by others."""
from __future__ import annotations

import numpy as np


def distances(shape_a, shape_b, A, B):
    """Gap (negative: depth) and normal from a to b, for rows of poses."""
    import coal
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance, request.gjk_tolerance, request.epa_tolerance = True, 1e-14, 1e-14
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    g, n = np.zeros(len(A)), np.zeros((len(A), 3))
    for e in range(len(A)):
        result.clear()
        at = [coal.Transform3s(x[e, 3:].reshape(3, 3), x[e, :3].copy()) for x in (A, B)]
        g[e] = coal.distance(shape_a, at[0], shape_b, at[1], request, result)
        n[e] = result.normal
    return g, n


def shifted(A, places):
    """Poses of frames that stand at places of the frames A."""
    moved = A.copy()
    moved[:, :3] += np.einsum("eij,ej->ei", A[:, 3:].reshape(-1, 3, 3), np.broadcast_to(places, (len(A), 3)))
    return moved
