"""Damping of impacts by a restitution: what stops and contacts share. docs/theory/contact.md"""
from __future__ import annotations

from math import log1p

LEAST = 0.01    # restitution: below that an impact is as good as plastic, and its damping without bound


def damping_of(restitution: float) -> float:
    """x = a v_i of a law k d^p (1 + a d') that gives back e v_i of the speed v_i: ln((1 + x) / (1 - x e)) = x (1 + e)    [law-3]
    It does not depend on k, p and the mass."""
    e = restitution
    if e == 1:
        return 0.0
    from scipy.optimize import brentq

    def left(x: float) -> float:
        return log1p(x) - log1p(-x * e) - x * (1 + e)
    most = (1 - 1e-15) / e
    return most if left(most) < 0 else float(brentq(left, 1e-9, most, xtol=1e-15))


NAMED = {  # x = a v_i of laws of the literature, by the restitution that is asked of them                       [law-5]
    "lankarani-nikravesh": lambda e: 3 * (1 - e * e) / 4,
    "flores": lambda e: 8 * (1 - e) / (5 * e),
    "hunt-crossley": lambda e: 3 * (1 - e) / 2,
}


def restitution_of(x: float) -> float:
    """The restitution that a law k d^p (1 + x d'/v_i) really has: the other way round                          [law-3]"""
    if x == 0:
        return 1.0
    from scipy.optimize import brentq

    def left(e: float) -> float:
        return log1p(x) - log1p(-x * e) - x * (1 + e)
    return float(brentq(left, 1e-12, min(1.0, (1 - 1e-12) / x), xtol=1e-15))


def deepest(stiffness: float, exponent: float, x: float, mass: float, speed: float) -> float:
    """d_max^(p+1) = (p+1) (m/k) (a v - ln(1 + a v)) / a^2, of a body of this mass alone                           [law-4]"""
    part = (x - log1p(x)) / x**2 if x > 1e-4 else 0.5 - x / 3
    return float(((exponent + 1) * mass / stiffness * speed**2 * part) ** (1 / (exponent + 1)))
