"""Sizes of vectors."""
import numpy as np
import pytest

from pliant.kernels.jit import entry
from pliant.kernels.states import largest, scaled


@entry
def sizes(x, unit, first):
    return largest(x, first), scaled(x, unit, first)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("place", range(2, 5))
def test_what_is_not_finite_is_the_largest_wherever_it_stands(bad, place):
    x, unit = np.array([9.0, 1.0, -3.0, 2.0, 1.0]), np.array([1.0, 1.0, 0.5, 2.0, 1.0])
    assert sizes(x, unit, 1) == (3.0, 4.0)
    x[place] = bad
    np.testing.assert_equal(sizes(x, unit, 1), (bad, bad))
    assert sizes(x, unit, 5) == (0.0, 0.0)
