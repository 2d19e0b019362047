"""What the tangent of a contact has by the place of its foot on a line, which changes with the poses. Equations: docs/theory/sliding.md

With d = p_B - p_F from the foot to the point, t = A u' the tangent, and the wrench w of the contact that acts at the foot,

    ds = -dC / C',   dC = t . (dp_B - dp_F) + d . dt,   C' = d . A u'' - t . t                                    [foot-4]
    dR = (J^T dw/ds + dJ_F^T/ds w_F) ds                                                                           [foot-5]

dp_F at the material. Both factors are vectors, their product the blocks of both bodies and of the bristles.
"""
from ..kernels.contact_points import pose, rates, stepped_rates, wrench
from ..kernels.contract import TABLE, Family, P, Stage
from ..kernels.gaps.crossings import nowhere as nearby
from ..kernels.gaps.derivatives import ETA, moving, stepped, still
from ..kernels.gaps.point_sphere import closest, on_region, region
from ..kernels.jit import index, jit, variants
from ..kernels.pairs import FA, FB
from ..kernels.so3 import add, cross, dot, left_tangent, left_tangent_change, mul, rotation, scale, sub, tmul, vec, vec2
from . import contacts
from .contacts import GEOMETRY, IV, LAW, UNIT, deflection, heading, pressed, rubbed
from .feet import FREE, own
from .lines import DU, DY, OWN, PLACE, US, YS, N, U, Y
from .lines import IQ as BODY_Q
from .lines import IV as BODY_V
from .modal import three

FOOT, ROOM = index(9, 10)  # ip, beside that of the contact: the row of the foot, which is B of the contact, and own numbers in W


@jit
def speeds(s, b, e, W):
    """How the foot changes with s: u', the turn of its axes, its velocity and its angular velocity, in world axes; u', T r' of the body"""
    n, c, base, iv = b.ip[e, N], b.ip[e, N] + 1, b.ip[e, OWN], b.ip[e, BODY_V]
    R, w, r = rotation(s.q, b.ip[e, BODY_Q] + 3), vec(s.v, iv + 3), vec(W, base + PLACE * c + 3)
    r1 = scale(0 * s.v[iv], r)
    for k in range(n):
        r1 = add(r1, scale(s.v[iv + 6 + k], three(W, base + Y * c + k, c)))
    T, K = left_tangent(r), left_tangent_change(r, r1)
    along, turn = three(W, base + U * c + n, c), three(W, base + Y * c + n, c)
    bent = add(cross(w, along), three(W, base + DU * c + n, c))
    turned = add(mul(K, turn), mul(T, three(W, base + DY * c + n, c)))
    return mul(R, along), mul(R, mul(T, turn)), mul(R, bent), mul(R, turned)


@jit
def gradient(s, b, e, foot, W, at):
    """ds along the tiles of A and of B, the foot, in W[at:]                                                  [foot-4]"""
    n, c, base = b.ip[foot, N], b.ip[foot, N] + 1, b.ip[foot, OWN]
    fa, fb = b.ip[e, FA], b.ip[e, FB]
    R, along = rotation(s.q, b.ip[foot, BODY_Q] + 3), three(W, base + U * c + n, c)
    d, t = sub(vec2(s.X, fa, P), vec2(s.X, fb, P)), mul(R, along)
    away = tmul(R, d)
    factor = -1 / (dot(three(W, base + US * c + n, c), away) - dot(along, along))
    for i in range(b.fr[fa, 0]):
        j = b.fr[fa, 1] + i
        for k in range(6):
            W[at + 6 * i + k] = factor * (t[0] * s.J[j, 0, k] + t[1] * s.J[j, 1, k] + t[2] * s.J[j, 2, k])
    to, turn = at + 6 * b.fr[fa, 0], cross(along, away)
    for i in range(b.fr[fb, 0]):
        j = b.fr[fb, 1] + i
        for k in range(6):
            W[to + 6 * i + k] = -factor * (t[0] * s.J[j, 0, k] + t[1] * s.J[j, 1, k] + t[2] * s.J[j, 2, k])
    for k in range(3):
        W[to + 3 + k] += factor * turn[k]
    for k in range(n):
        W[to + 6 + k] += factor * dot(three(W, base + US * c + k, c), away)


@jit
def images(s, b, e, w, W, at):
    """J^T w along the tiles of A and of B, in W[at:]"""
    tile = 0
    for side in range(2):
        f = b.ip[e, FA + side]
        for i in range(b.fr[f, 0]):
            j = b.fr[f, 1] + i
            for k in range(6):
                y = 0 * s.J[j, 0, k]
                for l in range(6):
                    y += W[w + 6 * side + l] * s.J[j, l, k]
                W[at + 6 * tile + k] = y
            tile += 1


@jit
def levers(s, b, e, foot, w, W, at):
    """dJ_F^T/ds w_F: u' x f of the turn; u_j' . f + r_j' . T^T m - r_j . K(-r, m) r' of the modes, in body axes, in W[at:]   [foot-5]"""
    n, c, base = b.ip[foot, N], b.ip[foot, N] + 1, b.ip[foot, OWN]
    R, r = rotation(s.q, b.ip[foot, BODY_Q] + 3), vec(W, base + PLACE * c + 3)
    force, moment = tmul(R, vec(W, w + 6)), tmul(R, vec(W, w + 9))
    turned, bend = mul(left_tangent(scale(-1.0, r)), moment), cross(three(W, base + U * c + n, c), force)
    back = mul(left_tangent_change(scale(-1.0, r), moment), three(W, base + Y * c + n, c))
    to = at + 6 * b.fr[b.ip[e, FA], 0]
    for k in range(3):
        W[to + 3 + k] += bend[k]
    for k in range(n):
        y = dot(three(W, base + US * c + k, c), force) + dot(three(W, base + YS * c + k, c), turned)
        W[to + 6 + k] += y - dot(three(W, base + Y * c + k, c), back)


@jit
def add_product(b, o, e, rows, columns, z):
    """D += ck rows columns^T over the tiles of both; rates of bristles have z columns^T"""
    W, tiles, table = o.W, b.fr[b.ip[e, FA], 0] + b.fr[b.ip[e, FB], 0], b.ip[e, TABLE]
    m, iv = tiles + 1, b.ip[e, IV]
    for j in range(tiles):
        for i in range(tiles):
            block = b.tab[table + m * i + j]
            for k in range(6):
                for l in range(6):
                    o.D[block, k, l] += o.ck * W[rows + 6 * i + k] * W[columns + 6 * j + l]
        if iv >= 0:
            block = b.tab[table + m * tiles + j]
            for l in range(6):
                y = o.ck * b.rp[e, UNIT] * W[columns + 6 * j + l]
                o.D[block, iv % 6, l] -= z[0] * y
                o.D[block, iv % 6 + 1, l] -= z[1] * y


def changed(s, b, o):
    """The derivative of the wrench by s is a complex step along the line, of pose and velocity of the foot          [foot-5]"""
    for e in range(b.first, b.last):
        W, foot, at = o.W, b.ip[e, FOOT], b.ip[e, ROOM]
        a, c = pose(s, b.ip[e, FA]), pose(s, b.ip[e, FB])
        touches, number, x = found(s, b, o, e, a, c)
        if not touches or W[own(b, foot) + FREE].real == 0:
            continue
        law, u, z = b.ip[e, LAW], rates(s, b, e), deflection(s, b, e)
        depth, v, F, F_x, F_v = pressed(s, b, o, e, x, a, c)
        k = heading(s, b, e, c, x)
        f, m, y = rubbed(b.val, law, x, a, c, u, z, F, k)
        now, (move, turn, bent, turned) = wrench(x, a, c, f, m, y), speeds(s, b, foot, W)
        U1 = stepped_rates(u, -1)
        U1 = (U1[0], U1[1], U1[2], U1[3], U1[4], U1[5], stepped(u[6], bent[0]), stepped(u[7], bent[1]), stepped(u[8], bent[2]),
              stepped(u[9], turned[0]), stepped(u[10], turned[1]), stepped(u[11], turned[2]))
        Z = stepped(z[0], 0.0), stepped(z[1], 0.0)
        w = varied(b.val, b.ip[e, GEOMETRY], law, still(a), moving(c, move, turn), U1, Z, number, k, depth, v, F, F_x, F_v)
        tiles = b.fr[b.ip[e, FA], 0] + b.fr[b.ip[e, FB], 0]
        rows, columns = at + 24, at + 24 + 6 * tiles
        for i in range(12):
            W[at + i], W[at + 12 + i] = now[i], w[i].imag / ETA
        gradient(s, b, e, foot, W, columns)
        images(s, b, e, at + 12, W, rows)
        levers(s, b, e, foot, at, W, rows)
        add_product(b, o, e, rows, columns, (w[12].imag / ETA, w[13].imag / ETA))


def room(tiles: int) -> int:
    """Numbers in W."""
    return 24 + 12 * tiles


found, varied, _tangent = variants("line", contacts.found, contacts.varied, changed, closest=closest, region=region, on_region=on_region,
                                   nearby=nearby)
CHANGES = Family("foot changes", act=Stage(tangent=_tangent), rank=6, force=True)
