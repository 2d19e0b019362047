"""Normal force of a contact from its depth x and the rate v of that; friction from slip, bristles and normal force. docs/theory/contact.md

The numbers of a law stand in the pool, one after the other, at the places named here.
"""
import numpy as np

from .expression_vm import evaluate
from .jit import index, jit

KIND, K, EXPONENT, DAMPING_FACTOR, DAMPER, SLOW, RAMP, CODE = index(0, 1, 2, 3, 4, 5, 6, 7)  # CODE: the law, and its slopes behind it
POWER_LAW, LINEAR, IMPACT, EXPRESSION = index(0, 1, 2, 3)                                    # kinds
MODEL, KINETIC, STATIC, STRIBECK, VISCOUS = index(10, 11, 12, 13, 14)
STIFF, DAMPED, FADES, SMOOTH_SPEED, ROLLING, SPINNING, SMOOTH_TURN = index(15, 16, 17, 18, 19, 20, 21)
WIDTH = 22
FRICTIONLESS, BRISTLE, LUGRE, REGULARISED = index(0, 1, 2, 3)                                # models
TINY = 1e-24          # square of a depth that is none: powers have a slope there
LEAST = 1e-30         # square of a speed or deflection that is none
ELASTIC_PART = 0.7    # of the deflection at which a bristle slips: up to here it is a spring                 [rubbing-3]


@jit
def spring(val, at, x):
    """k x |x|^(p - 1) and its slope: odd, so that steps may look beyond the touch                       [law-1]"""
    s, q = x * x + TINY, (val[at + EXPONENT] - 1) / 2
    f = val[at + K] * s**q
    return f * x, f * (1 + 2 * q * x * x / s)


@jit
def ramp(u):
    """u^2 (3 - 2 u) from 0 to 1, and its slope"""
    if u.real < 0:
        return 0 * u, 0 * u
    if u.real > 1:
        return 0 * u + 1, 0 * u
    return u * u * (3 - 2 * u), 6 * u * (1 - u)


@jit
def push(val, at, x, v, met):
    """F(x, v) and its slopes F_x, F_v; ``met``: the speed with which the surfaces met                     [law-1], [law-5]"""
    f, slope = spring(val, at, x)
    kind = int(val[at + KIND].real)
    if kind == POWER_LAW:
        a = val[at + DAMPING_FACTOR] / max(met.real, val[at + SLOW].real)
        return f * (1 + a * v), slope * (1 + a * v), f * a
    d = val[at + DAMPER]
    if kind == LINEAR:
        return f + d * v, slope, 0 * f + d
    h, rise = ramp(x / val[at + RAMP])
    return f + h * d * v, slope + rise / val[at + RAMP] * d * v, h * d


@jit
def written(s, b, o, law, x, v):
    """F, F_x, F_v of a law of the user"""
    code, by_x, by_v = int(b.val[law + CODE].real), int(b.val[law + CODE + 1].real), int(b.val[law + CODE + 2].real)
    F = evaluate(s.t, x, v, s.Y, b.tab, b.val, code, o.W)
    F_x = evaluate(s.t, x, v, s.Y, b.tab, b.val, by_x, o.W) if by_x >= 0 else 0 * F
    F_v = evaluate(s.t, x, v, s.Y, b.tab, b.val, by_v, o.W) if by_v >= 0 else 0 * F
    return F, F_x, F_v


@jit
def normal_force(s, b, o, law, x, v, met):
    """The same of any law, before it is kept from pulling. One of the user is 2 F(0, v) - F(-x, v) where x < 0: smooth, and finite for
    powers of x, since steps look beyond the touch."""
    if int(b.val[law + KIND].real) != EXPRESSION:
        return push(b.val, law, x, v, met)
    if x.real >= 0:
        return written(s, b, o, law, x, v)
    touch, inside = written(s, b, o, law, 0 * x, v), written(s, b, o, law, -x, v)
    return 2 * touch[0] - inside[0], inside[1], 2 * touch[2] - inside[2]


@jit
def stored(val, at, x):
    """k x^(p+1) / (p + 1), and its rate over v; nothing of an expression                                  [law-6]"""
    if int(val[at + KIND].real) == EXPRESSION:
        return 0 * x, 0 * x
    f = spring(val, at, x)[0]
    return f * x / (val[at + EXPONENT] + 1), f


@jit
def coefficient(val, at, u2):
    """mu = mu_k + (mu_s - mu_k) e^(-(u / v_S)^2)                                                          [rubbing-1]"""
    k = val[at + KINETIC]
    return k + (val[at + STATIC] - k) * np.exp(-u2 / (val[at + STRIBECK] * val[at + STRIBECK]))


@jit
def plastic(z, yields):
    """The part of a deflection's growth that slips: 0 below ELASTIC_PART, 1 from 1 on, a sine in between      [rubbing-3]"""
    y = z / yields
    if y.real <= ELASTIC_PART:
        return 0 * y
    if y.real >= 1:
        return 0 * y + 1
    return (1 + np.sin(np.pi * (y - (1 + ELASTIC_PART) / 2) / (1 - ELASTIC_PART))) / 2


@jit
def bristle_rate(val, at, u, z, mu):
    """z', tangential: what slip u makes of a deflection z                                       [rubbing-2], [rubbing-3]"""
    yields = mu / val[at + STIFF]
    if int(val[at + MODEL].real) == LUGRE:
        f = np.sqrt(u[0] * u[0] + u[1] * u[1] + LEAST) / yields
        return u[0] - f * z[0], u[1] - f * z[1]
    along, size = u[0] * z[0] + u[1] * z[1], np.sqrt(z[0] * z[0] + z[1] * z[1] + LEAST)
    if along.real <= 0 or size.real <= ELASTIC_PART * yields.real:
        return u[0] + 0 * along, u[1] + 0 * along
    f = plastic(size, yields) * along / (yields * size)
    return u[0] - f * z[0], u[1] - f * z[1]


@jit
def friction(val, at, u, z):
    """Friction on B over the normal force, and the rate of the bristles, in the two tangents              [rubbing-1] to [rubbing-4]"""
    u2 = u[0] * u[0] + u[1] * u[1]
    mu, viscous, zero = coefficient(val, at, u2), val[at + VISCOUS], 0 * (u2 + z[0])
    if int(val[at + MODEL].real) == REGULARISED:
        f = mu / np.sqrt(u2 + val[at + SMOOTH_SPEED] * val[at + SMOOTH_SPEED]) + viscous
        return zero - f * u[0], zero - f * u[1], zero, zero
    y = bristle_rate(val, at, u, z, mu)
    s0, s1 = val[at + STIFF], val[at + DAMPED] / (1 + val[at + FADES] * u2)
    return (zero - s0 * z[0] - s1 * y[0] - viscous * u[0], zero - s0 * z[1] - s1 * y[1] - viscous * u[1], zero + y[0], zero + y[1])


@jit
def resisted(limit, w2, smooth):
    """limit / sqrt(w^2 + w_0^2): what turns the other way is resisted by its limit                         [rubbing-5]"""
    return limit / np.sqrt(w2 + smooth * smooth)
