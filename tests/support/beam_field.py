"""The true displacement field of beam elements and its mass, written from the differential equation, not from shape functions."""
import numpy as np


def skew(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def bending(L, ratio):
    """Coefficients of v = sum c_k x^k for unit end values v1, r1, v2, r2; r = v' + ratio v''', ratio = E I / (k G A)."""
    def row(x):
        return [1, x, x**2, x**3], [0, 1, 2 * x, 3 * x**2 + 6 * ratio]
    return np.linalg.inv(np.array([*row(0.0), *row(L)]))


def element_field(a, b, up, d, ratio_y, ratio_z, points=6):
    """Centre line, displacement and rotation (mesh axes) at Gauss points of the element from a to b; d (12, n) its end values.
    Returns weights times length, positions, displacements, rotations, axes."""
    L = np.linalg.norm(b - a)
    x = (b - a) / L
    z = up - (up @ x) * x
    z /= np.linalg.norm(z)
    R = np.column_stack((x, np.cross(z, x), z))
    local = np.concatenate([R.T @ d[3 * k:3 * k + 3] for k in range(4)])
    (u1, v1, w1, rx1, ry1, rz1, u2, v2, w2, rx2, ry2, rz2) = local
    cy = bending(L, ratio_y) @ np.array([v1, rz1, v2, rz2])
    cz = bending(L, ratio_z) @ np.array([w1, -ry1, w2, -ry2])
    s, weights = np.polynomial.legendre.leggauss(points)
    found = []
    for t, w in zip((s + 1) / 2 * L, weights / 2 * L, strict=True):
        u = np.array([u1 + (u2 - u1) * t / L, cy.T @ t ** np.arange(4), cz.T @ t ** np.arange(4)])
        slope = [c[1] + 2 * c[2] * t + 3 * c[3] * t**2 + 6 * r * c[3] for c, r in ((cy, ratio_y), (cz, ratio_z))]
        theta = np.array([rx1 + (rx2 - rx1) * t / L, -slope[1], slope[0]])
        found.append((w, a + t * x, R @ u, R @ theta))
    return found, R


def particles(nodes, ends, up, Psi, rho, width, height, ratios=(0.0, 0.0)):
    """Masses (p), positions (p, 3) and shapes (p, 3, n) of a rectangular beam: 6 points along each element, 3 x 3 over the section."""
    s, w = np.polynomial.legendre.leggauss(3)
    m, x, psi = [], [], []
    for i, j in ends:
        d = np.concatenate((Psi[6 * i:6 * i + 6], Psi[6 * j:6 * j + 6]))
        field, R = element_field(nodes[i], nodes[j], up, d, *ratios)
        for weight, place, u, theta in field:
            for sy, wy in zip(s, w, strict=True):
                for sz, wz in zip(s, w, strict=True):
                    y = R @ np.array([0, sy * width / 2, sz * height / 2])
                    m.append(rho * weight * width * height * wy * wz / 4)
                    x.append(place + y)
                    psi.append(u + np.cross(theta.T, y).T)
    return np.array(m), np.array(x), np.array(psi)


def integrals_of(m, x, psi):
    """The nine integrals by their definitions, as sums over particles."""
    n = psi.shape[2]
    X = np.array([skew(v) for v in x])
    P = np.array([[skew(p[:, j]) for j in range(n)] for p in psi])
    return (m.sum(), m @ x, np.einsum("p,pba,pbc->ac", m, X, X), np.einsum("p,paj->aj", m, psi), np.einsum("p,pab,pbj->aj", m, X, psi),
            np.einsum("p,pba,pjbc->jac", m, X, P), np.einsum("p,pkba,pjbc->kjac", m, P, P, optimize=True),
            np.einsum("p,pkab,pbj->kaj", m, P, psi, optimize=True), np.einsum("p,pak,paj->kj", m, psi, psi))
