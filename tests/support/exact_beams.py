"""Beams with the exact shapes of Euler and Bernoulli as modal data, and the same as meshes: what strikes them, and what stops them."""
import numpy as np
from scipy.optimize import brentq

import pliant as pl
from pliant import flex

# Timoshenko's beam: 10 x 10 x 153.5 mm of steel, struck in its middle by a ball of radius 10 mm at 10 mm/s
E_BEAM, RHO_BEAM, SIDE, SPAN, BALL, SPEED = 2.2e6 * 9.80665e4, 7960.0, 0.01, 0.1535, 0.01, 0.01
BALL_MASS, HERTZ = RHO_BEAM * 4 / 3 * np.pi * BALL**3, 4 / 3 * E_BEAM / (2 * (1 - 0.3**2)) * np.sqrt(BALL)
# a cantilever of 1 m, 20 x 5 mm, bent upwards by 10 N at its tip, above a spring that only pushes
E_BAR, RHO_BAR, WIDTH, HEIGHT, LENGTH, STOP, LOAD = 210e9, 7800.0, 0.02, 0.005, 1.0, 1e5, 10.0
BEGINS = 1e-7  # m: how far the ball is away at the start


def part(length, height, mass, shapes, omega, nodes):
    """A beam along x that bends along z by ``shapes(x)`` (n, len(x)): mass points at Gauss points, exact for shapes of some waves."""
    x, w = np.polynomial.legendre.leggauss(120)
    x, w = (x + 1) * length / 2, mass * w / 2
    phi, n, s = shapes(x), len(omega), height / np.sqrt(12)
    u0 = np.array([(p, a * s, b * s) for p in x for a in (-1, 1) for b in (-1, 1)])
    m, psi = np.repeat(w / 4, 4), np.zeros((4 * x.size, 3, n))
    psi[:, 2] = np.repeat(phi.T, 4, axis=0)
    U, P = (np.cross(np.eye(3), v[..., None, :]) for v in (u0, psi.transpose(2, 0, 1)))
    integrals = (mass, m @ u0, np.einsum("p,pki,pkj->ij", m, U, U), np.einsum("p,pij->ij", m, psi), np.einsum("p,pij,pjn->in", m, U, psi),
                 np.einsum("p,pki,npkj->nij", m, U, P), np.einsum("p,apki,bpkj->abij", m, P, P, optimize=True),
                 np.einsum("p,kpij,pjn->kin", m, P, psi, optimize=True), np.einsum("p,pik,pil->kl", m, psi, psi))
    still = np.zeros((3, n))
    places = {"held": ((0, 0, 0), still, still)} | {name: ((at, 0, 0), np.outer((0, 0, 1), shapes(np.array([at]))[:, 0]), still)
                                                    for name, at in nodes.items()}
    return flex.from_integrals(*integrals, np.diag(omega**2), nodes=places)


def supported(modes):
    """Odd modes of a simply supported beam, of unit mass."""
    k, area = np.arange(1, 2 * modes, 2) * np.pi / SPAN, SIDE**2
    mass, omega = RHO_BEAM * area * SPAN, k**2 * np.sqrt(E_BEAM * SIDE**2 / 12 / RHO_BEAM)
    return part(SPAN, SIDE, mass, lambda x: np.sqrt(2 / mass) * np.sin(np.outer(k, x)), omega, {"middle": SPAN / 2})


def clamped(modes):
    """Modes of a cantilever, of unit mass: cos B cosh B = -1."""
    mass = RHO_BAR * WIDTH * HEIGHT * LENGTH
    B = np.array([brentq(lambda x: np.cos(x) + 1 / np.cosh(x), (j + 0.5) * np.pi - 0.5, (j + 0.5) * np.pi + 0.5) for j in range(modes)])
    s = (np.cosh(B) + np.cos(B)) / (np.sinh(B) + np.sin(B))

    def shapes(x):
        z = np.outer(B, x / LENGTH)
        return (np.cosh(z) - np.cos(z) - s[:, None] * (np.sinh(z) - np.sin(z))) / np.sqrt(mass)
    return part(LENGTH, HEIGHT, mass, shapes, B**2 / LENGTH**2 * np.sqrt(E_BAR * HEIGHT**2 / 12 / RHO_BAR), {"tip": LENGTH})


def thin(length, width, height, E, rho, elements):
    """A mesh of a beam whose sections have next to no inertia of their own, as Euler and Bernoulli have it: E I stays what it is."""
    slender = 1e4
    Iy, Iz = width * height**3 / 12 / slender, height * width**3 / 12 / slender
    section = pl.Section.general(width * height, Iy, Iz, Iy + Iz)
    return flex.mesh_beam([(0, 0, 0), (length, 0, 0)], section, pl.Material(E * slender, 0.3, rho), elements=elements)


def struck(modes=10, mesh=False):
    """A ball that comes from above onto the middle of a beam: its speed is downwards."""
    m = pl.Model("ball on beam")
    if mesh:
        fe = thin(SPAN, SIDE, SIDE, E_BEAM, RHO_BEAM, mesh)
        beam = flex.reduce(fe, {"held": (0, 0, 0), "far": (SPAN, 0, 0), "middle": (SPAN / 2, 0, 0)}, modes=modes)
    else:
        beam = supported(modes)
    m.add(pl.ModalBody("beam", beam))
    m.add(pl.Revolute("A", m.ground, "beam.held", axis="y") if mesh else pl.Fixed("A", m.ground, "beam.held"))
    if mesh:
        m.add(pl.PointOnLine("B", m.ground.frame((SPAN, 0, 0)), "beam.far", axis="x"))
    m.add(pl.RigidBody.sphere("ball", BALL, mass=BALL_MASS, position=(SPAN / 2, 0, BALL + BEGINS), velocity=(0, 0, -SPEED)))
    m.add(pl.Contact("c", "beam.middle", "ball", surface_a="plane", surface_b=pl.Surface.sphere(BALL), stiffness=HERTZ, restitution=1.0))
    return m


def stopped(modes, mesh=False):
    """A bar that is let go and swings against a spring below its tip."""
    m = pl.Model("cantilever on a stop")
    if mesh:
        fe = thin(LENGTH, WIDTH, HEIGHT, E_BAR, RHO_BAR, mesh)
        bar = flex.reduce(fe, {"held": (0, 0, 0)}, modes=modes, frames={"tip": (LENGTH, 0, 0)}, stiffening=False)
        tip = bar.nodes["tip"].psi_R[2]
        start = np.linalg.solve(bar.Kqq, LOAD * tip)
    else:
        bar = clamped(modes)
        start = LOAD * bar.nodes["tip"].psi_R[2] / np.diag(bar.Kqq)
    m.add(pl.ModalBody("bar", bar, modal=start.tolist(), modal_rate=[0.0] * bar.n))
    m.add(pl.Fixed("A", m.ground, "bar.held"))
    r = 1e-3
    m.add(pl.Contact("c", m.ground.frame((0, 0, -r)), "bar.tip", surface_a="plane", surface_b=pl.Surface.sphere(r), stiffness=STOP,
                     exponent=1.0, restitution=1.0))
    return m
