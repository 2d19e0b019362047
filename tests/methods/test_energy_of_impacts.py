"""Energy and momentum through some dozens of impacts; `energy_of_impacts` makes thousands."""
import pytest
from energy_of_impacts import CASES, CLOSES, STAYS, measured

DURATIONS = {"balls in a box": 1.0, "double pendulum": 6.0, "in space": 3.0}


@pytest.mark.parametrize("name", [name for name in CASES if "rigid" in name or "pendulum" in name])
def test_they_stay(name):
    duration = next(T for start, T in DURATIONS.items() if name.startswith(start))
    count, _, relative, raised, linear, angular = measured(name, duration)
    assert count > 15 and relative < CLOSES / 10 and raised > -CLOSES and max(linear, angular) < STAYS
