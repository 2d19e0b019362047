"""What contacts of all shapes share. A pair of surfaces has two kernels, in `kernels.gaps`:

    place(s, b, e, W)   gap g (negative: they overlap), normal n from A to B, point c half-way between the surfaces: W[GAP],
                        W[NORMAL:], W[POINT:]
    vary(s, b, e, W)    after `place`: dn/dx and dc/dx along the twelve motions x of the pair (see `pairs`), 3 x 12: W[NORMAL_X:],
                        W[POINT_X:]

Points of both surfaces lie on one line along n, so that the wrench of a unit normal force is the gradient of the gap:

    G = (-n, -(c - p_A) x n, n, (c - p_B) x n),   g' = G . u                                                 [contact-1]
    u_c = v_B + w_B x (c - p_B) - v_A - w_A x (c - p_A),   slip u_T = u_c - n (n . u_c)                       [contact-2]
    g'' = G . u' + u . H u,   H = dG/dx from dn/dx and dc/dx                                                  [contact-3]
"""
from .contract import AV, P, V, W
from .jit import index, jit
from .pairs import FA, FB, GRADIENT, RATES, STIFFNESS, load_rates
from .so3 import add, cross, scale, store, sub, vec, vec2

POOL, SITE = index(4, 5)   # ip of every contact: where its geometry starts in val, and its choice of regions in tab; -1: none
RADIUS_A, RADIUS_B, SIDE_A, SIDE_B = index(0, 1, 2, 3)  # rp of every contact: what they mean is up to the pair
NORMAL_X, POINT_X, GAP, NORMAL, POINT = index(392, 428, 464, 465, 468)  # scratch


@jit
def arms(s, b, e, W):
    """c - p_A and c - p_B"""
    c = vec(W, POINT)
    return sub(c, vec2(s.X, b.ip[e, FA], P)), sub(c, vec2(s.X, b.ip[e, FB], P))


@jit
def gap_gradient(s, b, e, W):
    """W[GRADIENT:] = G                                                                                  [contact-1]"""
    n, (ra, rb) = vec(W, NORMAL), arms(s, b, e, W)
    store(scale(-1.0, n), W, GRADIENT)
    store(cross(n, ra), W, GRADIENT + 3)
    store(n, W, GRADIENT + 6)
    store(cross(rb, n), W, GRADIENT + 9)


@jit
def gap_hessian(s, b, e, f, W):
    """W[STIFFNESS:] = f H: d(-n), n x (dc - dp_A) - r_A x dn, dn, -n x (dc - dp_B) + r_B x dn            [contact-3]"""
    n, (ra, rb) = vec(W, NORMAL), arms(s, b, e, W)
    for j in range(12):
        dn = W[NORMAL_X + j], W[NORMAL_X + 12 + j], W[NORMAL_X + 24 + j]
        dc = W[POINT_X + j], W[POINT_X + 12 + j], W[POINT_X + 24 + j]
        a = dc[0] - (j == 0), dc[1] - (j == 1), dc[2] - (j == 2)
        c = dc[0] - (j == 6), dc[1] - (j == 7), dc[2] - (j == 8)
        on_a, on_b = sub(cross(n, a), cross(ra, dn)), sub(cross(rb, dn), cross(n, c))
        for i in range(3):
            W[STIFFNESS + 12 * i + j] = -f * dn[i]
            W[STIFFNESS + 12 * (3 + i) + j] = f * on_a[i]
            W[STIFFNESS + 12 * (6 + i) + j] = f * dn[i]
            W[STIFFNESS + 12 * (9 + i) + j] = f * on_b[i]


@jit
def gap_rate(s, b, e, W):
    """g' = G . u; W[RATES:] = u"""
    load_rates(s, b, e, W)
    rate = 0 * W[GRADIENT]
    for i in range(12):
        rate += W[GRADIENT + i] * W[RATES + i]
    return rate


@jit
def gap_acceleration(s, b, e, W):
    """g''. Needs the accelerations of the frames, W[GRADIENT:], and what `vary` gives"""
    fa, fb = b.ip[e, FA], b.ip[e, FB]
    gap_hessian(s, b, e, 1.0, W)
    load_rates(s, b, e, W)
    x = 0 * W[GRADIENT]
    for i in range(6):
        x += W[GRADIENT + i] * s.X[fa, AV + i] + W[GRADIENT + 6 + i] * s.X[fb, AV + i]
    for i in range(12):
        for j in range(12):
            x += W[RATES + i] * W[STIFFNESS + 12 * i + j] * W[RATES + j]
    return x


@jit
def point_velocity(s, b, e, W_):
    """u_c, of B against A                                                                               [contact-2]"""
    ra, rb = arms(s, b, e, W_)
    on_a = add(vec2(s.X, b.ip[e, FA], V), cross(vec2(s.X, b.ip[e, FA], W), ra))
    on_b = add(vec2(s.X, b.ip[e, FB], V), cross(vec2(s.X, b.ip[e, FB], W), rb))
    return sub(on_b, on_a)
