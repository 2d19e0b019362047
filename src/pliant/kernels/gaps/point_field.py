"""A point with radius on a height field of B, z(x, y), its body below: a cubic table of two variables (`kernels.tables`).

val: the point in frame A (3), its radius, how far behind ``at`` the table begins, the table: 5 where it follows, another number where
several points share one. The nearest point is a minimum of half the squared distance over x and y, found by Newton's method with a line
search from the nearest of some points around. Beyond the edges of the field there is no contact. If no minimum is found the numbers are
not finite, which ends a step.
"""
import numpy as np

from ..jit import index, jit
from ..so3 import sub, vec
from ..tables import cell_of, cell_value
from .crossings import elsewhere
from .geometry import NOWHERE, answer, place, place_in, turned

FIELD = index(0)
MOST, FINAL = index(80, 2)  # steps of Newton's method; further ones after it has come close
SAMPLES = index(16)         # along each axis, at most
CLOSE = 1e-6                # of a cell: the next steps of Newton's method are exact


@jit
def table(val, at):
    """Where it begins, and its edges."""
    i = at + int(val[at + 4].real)
    n, m = int(val[i].real), int(val[i + 1].real)
    return i, val[i + 3].real, val[i + 2 + n].real, val[i + 3 + n].real, val[i + 2 + n + m].real


@jit
def surface(val, i, x, y):
    """z, z_x, z_y, z_xx, z_xy, z_yy; of the cell that the real parts of x and y are in, or next to."""
    n, m = int(val[i].real), int(val[i + 1].real)
    k, l = cell_of(val, i, x.real, y.real)
    c = i + 3 + n + m + 16 * (k * (m - 1) + l)
    d, e = x - val[i + 3 + k].real, y - val[i + 3 + n + l].real
    return (cell_value(val, c, 0, 0, d, e), cell_value(val, c, 1, 0, d, e), cell_value(val, c, 0, 1, d, e),
            cell_value(val, c, 2, 0, d, e), cell_value(val, c, 1, 1, d, e), cell_value(val, c, 0, 2, d, e))


@jit
def half_square(val, i, p, x, y):
    z = surface(val, i, x, y)[0]
    return ((x - p[0]) * (x - p[0]) + (y - p[1]) * (y - p[1]) + (z - p[2]) * (z - p[2])) / 2


@jit
def slopes(val, i, p, x, y):
    """First and second derivatives of half the squared distance: f_x = x - p_x + (z - p_z) z_x,
    f_xy = z_x z_y + (z - p_z) z_xy (+ 1 on the diagonal)"""
    z, zx, zy, zxx, zxy, zyy = surface(val, i, x, y)
    h = z - p[2]
    return x - p[0] + h * zx, y - p[1] + h * zy, 1 + zx * zx + h * zxx, zx * zy + h * zxy, 1 + zy * zy + h * zyy


@jit
def within(x, low, high):
    return min(max(x, low), high)


@jit
def beginning(val, i, p, low_x, high_x, low_y, high_y):
    """The nearest of some points of the field: none that is farther away than the one below p can be the nearest of all."""
    x, y = within(p[0], low_x, high_x), within(p[1], low_y, high_y)
    best = half_square(val, i, p, x, y)
    reach = np.sqrt(2 * best)
    x0, x1 = within(p[0] - reach, low_x, high_x), within(p[0] + reach, low_x, high_x)
    y0, y1 = within(p[1] - reach, low_y, high_y), within(p[1] + reach, low_y, high_y)
    nx = min(int(2 * (x1 - x0) / (high_x - low_x) * val[i].real) + 2, SAMPLES)
    ny = min(int(2 * (y1 - y0) / (high_y - low_y) * val[i + 1].real) + 2, SAMPLES)
    for k in range(nx):
        for l in range(ny):
            u, v = x0 + (x1 - x0) * k / (nx - 1), y0 + (y1 - y0) * l / (ny - 1)
            f = half_square(val, i, p, u, v)
            if f < best:
                best, x, y = f, u, v
    return x, y


@jit
def newton_step(fx, fy, fxx, fxy, fyy, fixed_x, fixed_y):
    """Downhill: where the second derivatives are not positive they are raised. A coordinate that is held at an edge stays."""
    if fixed_x:
        return 0 * fx, (0 * fy if fixed_y else -fy / max(abs(fyy), 1e-3))
    if fixed_y:
        return -fx / max(abs(fxx), 1e-3), 0 * fy
    middle, spread = (fxx + fyy) / 2, np.sqrt((fxx - fyy) * (fxx - fyy) / 4 + fxy * fxy)
    raised = max(0.0, 1e-3 * (1 + abs(middle) + spread) - (middle - spread))
    fxx, fyy = fxx + raised, fyy + raised
    D = fxx * fyy - fxy * fxy
    return (fxy * fy - fyy * fx) / D, (fxy * fx - fxx * fy) / D


@jit
def foot(val, at, p):
    """x, y of the nearest point in real numbers, how far it is from the edge of the field, and whether it was found."""
    i, low_x, high_x, low_y, high_y = table(val, at)
    close = CLOSE * min((high_x - low_x) / val[i].real, (high_y - low_y) / val[i + 1].real)
    x, y = beginning(val, i, p, low_x, high_x, low_y, high_y)
    found, more = False, 0
    for _ in range(MOST):
        fx, fy, fxx, fxy, fyy = slopes(val, i, p, x, y)
        at_x, at_y = (x <= low_x and fx > 0) or (x >= high_x and fx < 0), (y <= low_y and fy > 0) or (y >= high_y and fy < 0)
        dx, dy = newton_step(fx, fy, fxx, fxy, fyy, at_x, at_y)
        length, f = 1.0, half_square(val, i, p, x, y)
        near = abs(dx) <= close and abs(dy) <= close
        u, v = within(x + dx, low_x, high_x), within(y + dy, low_y, high_y)
        while not near and half_square(val, i, p, u, v) > f + 1e-4 * (fx * (u - x) + fy * (v - y)) and length > 1e-12:
            length /= 2
            u, v = within(x + length * dx, low_x, high_x), within(y + length * dy, low_y, high_y)
        more = more + 1 if near else 0
        x, y = u, v
        if more > FINAL:
            found = True
            break
    inside = min(min(x - low_x, high_x - x), min(y - low_y, high_y - y))
    return x, y, inside, found


@jit
def local(val, at, a, b):
    """The point in frame B, and its real parts."""
    x = place_in(b, place(a, vec(val, at)))
    return x, (x[0].real, x[1].real, x[2].real)


@jit
def region(val, at, a, b):
    """FIELD or NOWHERE; how far the nearest point is from the edge, or the point beyond it."""
    p = local(val, at, a, b)[1]
    x, y, inside, found = foot(val, at, p)
    if found and inside <= 0:
        return NOWHERE, np.sqrt((x - p[0]) * (x - p[0]) + (y - p[1]) * (y - p[1]))
    return FIELD, inside


@jit
def at_foot(val, at, a, b, u, v, found):
    """N = (-z_x, -z_y, 1) / sqrt(1 + z_x^2 + z_y^2) at the foot q,  g = N . (x - q) - r,  n = -N. A last step of Newton's method for the
    foot, in the numbers of the poses, makes derivatives by complex steps exact                            [gap-14]"""
    p, r = place(a, vec(val, at)), val[at + 3]
    x, i = place_in(b, p), table(val, at)[0]
    fx, fy, fxx, fxy, fyy = slopes(val, i, x, u + 0 * x[0], v + 0 * x[0])
    D = fxx * fyy - fxy * fxy
    q, w = u + (fxy * fy - fyy * fx) / D, v + (fxy * fx - fxx * fy) / D
    z, zx, zy, _, _, _ = surface(val, i, q, w)
    s = 1 / np.sqrt(1 + zx * zx + zy * zy)
    if not found:
        s = s * np.nan
    d = sub(x, (q, w, z))
    return answer(s * (d[2] - zx * d[0] - zy * d[1]) - r, turned(b, (s * zx, s * zy, -s)), p, r)


@jit
def on_region(val, at, a, b, number):
    u, v, _, found = foot(val, at, local(val, at, a, b)[1])
    return elsewhere(a, b) if number == NOWHERE else at_foot(val, at, a, b, u, v, found)


@jit
def closest(val, at, a, b):
    """Twice differentiable, as the surface is, where the nearest point is the only one: in a valley that is narrower than the distance
    it has a kink. At the edges of the field g jumps to AWAY."""
    u, v, inside, found = foot(val, at, local(val, at, a, b)[1])
    return elsewhere(a, b) if found and inside <= 0 else at_foot(val, at, a, b, u, v, found)


@jit
def radii(val, at, a, b):
    """1/R = 1/r + curvature of the field, positive where it bulges; inf where the field is as hollow as the sphere or more."""
    r = val[at + 3]
    x, y, _, _ = foot(val, at, local(val, at, a, b)[1])
    _, zx, zy, zxx, zxy, zyy = surface(val, table(val, at)[0], x, y)
    E, F, G, s = 1 + zx * zx, zx * zy, 1 + zy * zy, -1 / np.sqrt(1 + zx * zx + zy * zy)
    mean = s * (E * zyy - 2 * F * zxy + G * zxx) / (2 * (E * G - F * F))
    gauss = s * s * (zxx * zyy - zxy * zxy) / (E * G - F * F)
    spread = np.sqrt(max(mean * mean - gauss, 0.0))
    return bent(r, mean + spread), bent(r, mean - spread)


@jit
def bent(r, curvature):
    if r.real == 0:
        return 0 * r
    k = 1 / r + curvature
    return 1 / k if k.real > 0 else 0 * r + np.inf
