"""Tangents of contacts, against complex steps: every law, friction and kernel of surfaces at least once; the product is in the script."""
import contact_tangents as ct
import pytest

PAIRS = [("sphere", "sphere"), ("plane", "box"), ("box", "hollow_sphere"), ("plane", "cylinder"), ("sphere", "capsule"),
         ("sphere", "cylinder"), ("capsule", "bore"), ("capsule", "capsule"), ("capsule", "box"), ("sphere", "convex"), ("box", "convex")]
KERNELS = {part.kernel for pair in PAIRS for part in ct.pairs()[pair]}


def test_every_kernel_is_there():
    assert {part.kernel for points in ct.pairs().values() for part in points} == KERNELS


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_compliant(pair):
    """A law with every friction it may have, a friction with every law; bodies and sides in both orders in turn."""
    k, many = PAIRS.index(pair), len(ct.pairs()[pair]) > 32
    laws, frictions = list(ct.LAWS.values()), [ct.FRICTIONS["regularised"]] if many else list(ct.FRICTIONS.values())
    contacts = [laws[(k + i) % len(laws)] | frictions[i % len(frictions)] for i in range(1 if many else len(laws))]
    assert ct.compliant(pair, contacts, seed=k, order=(-1) ** k) < 1e-11


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_rigid(pair):
    """Open, sliding and sticking points, in turn."""
    phases, k = [*ct.PHASES], PAIRS.index(pair)
    for shift in range(1 if len(ct.pairs()[pair]) > 2 else 3):
        assert ct.rigid(pair, phases[shift:] + phases[:shift], seed=k, order=(-1) ** k) < 1e-11
