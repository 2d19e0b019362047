"""Impulses of several contacts at once, against closed forms and the conditions themselves."""
import numpy as np
import pytest

from pliant.kernels import complementarity, impacts
from pliant.kernels.complementarity import SLIDES, SOLVED, UNSOLVED, Contacts
from pliant.kernels.impacts import AS_ASKED, BY_POISSON, POISSON, SEQUENTIAL, SIMULTANEOUS, Impact


def posed(rng, n, motions, mu, e):
    """n contacts of a system with so many motions of mass one, and the wrenches W of their impulses."""
    W, u, c = rng.normal(size=(motions, 3 * n)), rng.normal(size=motions), Contacts.of(n)
    c.D[:], c.b[:], c.mu[:] = W.T @ W, W.T @ u, mu
    c.b[::3] *= 1 + e
    return c, W


def violation(c, P):
    """How far P is from [complementarity-1], in speeds, of the largest one."""
    xi, unit = c.D @ P + c.b, c.D.diagonal().max()
    N, X = P[::3], xi[::3]
    T, Z = np.column_stack([P[1::3], P[2::3]]), np.column_stack([xi[1::3], xi[2::3]])
    size, slip, rub = np.linalg.norm(T, axis=1), np.linalg.norm(Z, axis=1), c.mu * N
    against = (T * Z).sum(axis=1) + rub * slip  # the most that friction can take: zero
    return max(-(N * unit).min(), -X.min(), np.minimum(abs(N) * unit, abs(X)).max(), ((size - rub) * unit).max(),
               np.minimum(abs(against) * unit / abs(c.b).max(), np.inf).max()) / abs(c.b).max()


@pytest.mark.parametrize("n, motions, mu", [(1, 6, 0.3), (2, 6, 0.0), (2, 6, 0.3), (4, 6, 0.0), (8, 24, 0.5), (20, 60, 0.6)])
@pytest.mark.parametrize("e", [0.0, 0.5])
def test_conditions_hold_whatever_the_order(n, motions, mu, e):
    rng = np.random.default_rng(n)
    for _ in range(20):
        c, W = posed(rng, n, motions, mu, e)
        assert complementarity.solve(c, n) == SOLVED
        P = c.P.copy()
        assert violation(c, P) < 1e-10
        places = np.concatenate([3 * k + np.arange(3) for k in rng.permutation(n)])
        other = Contacts.of(n)
        other.D[:], other.b[:], other.mu[:] = c.D[np.ix_(places, places)], c.b[places], mu
        assert complementarity.solve(other, n) == SOLVED
        assert abs(W[:, places] @ other.P - W @ P).max() <= 1e-10 * abs(W @ P).max()


def test_table_with_four_legs_bears_the_same_on_each():
    c = Contacts.of(4)
    legs = np.array([(1, 1), (1, -1), (-1, 1), (-1, -1)])
    W = np.zeros((3, 12))
    W[:, ::3] = np.column_stack([np.ones(4), legs]).T
    c.D[:], c.b[:] = W.T @ W, W.T @ [-9.81, 0.0, 0.0]
    assert complementarity.solve(c, 4) == SOLVED
    assert np.allclose(c.P[::3], 9.81 / 4, rtol=0, atol=1e-10)


def test_sliding_carries_its_friction():
    """A block of mass m pressed by g slides along x: the tangential force is mu times the normal one, against it."""
    c = Contacts.of(1)
    c.D[:], c.b[:], c.mu[:], c.kind[:], c.along[0] = np.eye(3) / 2.0, [-9.81, 3.0, 0.0], 0.4, SLIDES, (0.6, -0.8)
    assert complementarity.solve(c, 1) == SOLVED
    assert np.allclose(c.P, 19.62 * np.array([1.0, -0.24, 0.32]), rtol=1e-12)


def test_what_has_no_solution_is_told():
    """Painleve: D_nn - mu D_nt < 0 and an acceleration into the surface."""
    c = Contacts.of(1)
    c.D[:] = [[1.0, 1.0, 0.0], [1.0, 1.5, 0.0], [0.0, 0.0, 1.0]]
    c.b[:], c.mu[:], c.kind[:], c.along[0] = [-1.0, 0.0, 0.0], 1.4, SLIDES, (1.0, 0.0)
    assert complementarity.solve(c, 1) == UNSOLVED


def cradle(speeds, how, e=1.0):
    n = len(speeds) - 1
    W, i = np.zeros((n + 1, 3 * n)), Impact.of(n)
    for k in range(n):
        W[k, 3 * k], W[k + 1, 3 * k] = -1, 1
    i.D[:], i.u[:], i.e[:] = W.T @ W, W.T @ np.array(speeds), e
    assert impacts.solve(i, n, how) == AS_ASKED
    return np.array(speeds) + W @ i.P


def test_cradles():
    assert np.allclose(cradle([1.0, 0, 0], SIMULTANEOUS), [-1 / 3, 2 / 3, 2 / 3], rtol=0, atol=1e-13)
    assert np.allclose(cradle([1.0, 0, 0], SEQUENTIAL), [0, 0, 1], rtol=0, atol=1e-13)
    assert np.allclose(cradle([1.0, 1.0, 0, 0, 0], SEQUENTIAL), [0, 0, 0, 1, 1], rtol=0, atol=1e-13)
    assert np.allclose(cradle([1.0, 0, 0], POISSON, 0.0), 1 / 3, rtol=0, atol=1e-13)


def sphere(v, w, radius, mu, e, how=SIMULTANEOUS):
    """On a plane, of mass one: how it went, velocities behind the impact, and the impact."""
    down, inverse = np.array([0, 0, -radius]), np.diag([1.0, 1, 1] + [1 / (0.4 * radius**2)] * 3)
    W = np.array([np.concatenate([n, np.cross(down, n)]) for n in (np.eye(3)[2], np.eye(3)[0], np.eye(3)[1])]).T
    before, i = np.concatenate([v, w]), Impact.of(1)
    i.D[:], i.u[:], i.e[:], i.mu[:] = W.T @ inverse @ W, W.T @ before, e, mu
    return impacts.solve(i, 1, how), before + inverse @ W @ i.P, i


@pytest.mark.parametrize("mu, v, w", [
    (0.1, (0.4976344617505909, 0.4120860308063534, 2.1), (-0.19784922984116404, -17.440861543764775, 5.0)),
    (0.5, (-1 / 7, 0.3, 2.1), (-3.0, -10 / 7, 5.0))])
def test_oblique_impact_of_a_spinning_sphere_slips_and_sticks(mu, v, w):
    """Slip: P_T = mu P_N against the slip; stick: v_T+ = (5 v_T + 2 R w x n) / 7."""
    how, after, _ = sphere([1, 0.5, -3], [2, -30, 5], 0.1, mu, 0.7)
    assert how == AS_ASKED
    assert np.allclose(after, [*v, *w], rtol=0, atol=1e-12)


def test_newton_and_poisson_agree_for_one_contact_that_is_not_coupled():
    for mu in (0.0, 0.1, 0.5):
        _, newton, _ = sphere([1, 0.5, -3], [2, -30, 5], 0.1, mu, 0.7)
        _, poisson, _ = sphere([1, 0.5, -3], [2, -30, 5], 0.1, mu, 0.7, POISSON)
        assert np.allclose(newton, poisson, rtol=0, atol=1e-12)


def rod(angle, mu, e, v, w):
    """A slender rod of mass and length one meets the ground with its lower end."""
    arm = 0.5 * np.array([np.sin(angle), 0, -np.cos(angle)])
    W = np.array([np.concatenate([n[[0, 2]], [np.cross(arm, n)[1]]]) for n in (np.eye(3)[2], np.eye(3)[0])]).T
    inverse, i, before = np.diag([1, 1, 12.0]), Impact.of(1), np.array([*v, w])
    i.D[:2, :2], i.D[2, 2], i.u[:2], i.e[:], i.mu[:] = W.T @ inverse @ W, 1.0, W.T @ before, e, mu
    return i, before, inverse, W


def test_where_newton_would_raise_the_energy_poisson_is_taken():
    """Kane's paradox: the tangential speed turns round within the impact, and Newton's law gives more than there was."""
    found = 0
    for angle in np.linspace(0.2, 1.2, 21):
        for w in np.linspace(-6, 6, 25):
            i, before, inverse, W = rod(angle, 0.6, 0.9, (-1.0, -1.0), w)
            if i.u[0] >= 0:
                continue
            how = impacts.solve(i, 1, SIMULTANEOUS)
            after = before + inverse @ W @ i.P[:2]
            change = (after**2 / inverse.diagonal()).sum() - (before**2 / inverse.diagonal()).sum()
            assert how in (AS_ASKED, BY_POISSON) and change <= 1e-12 and i.after[0] >= -1e-12
            found += how == BY_POISSON
    assert found > 0


def test_no_order_of_unequal_contacts_raises_the_energy():
    rng = np.random.default_rng(5)
    for _ in range(200):
        n, i = 4, Impact.of(4)
        W, u = rng.normal(size=(15, 12)), rng.normal(size=15)
        i.D[:], i.u[:], i.e[:], i.mu[:] = W.T @ W, W.T @ u, rng.uniform(0, 1, 4), rng.uniform(0, 0.8, 4)
        for how in (SIMULTANEOUS, SEQUENTIAL, POISSON):
            assert impacts.solve(i, n, how) in (AS_ASKED, BY_POISSON)
            assert (u + W @ i.P) @ (u + W @ i.P) <= u @ u * (1 + 1e-12)
            assert i.after[::3].min() > -1e-9
