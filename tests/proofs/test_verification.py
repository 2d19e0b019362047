"""The quick part of the verification book; `pliant verify` runs all of it."""
import numpy as np
import pytest

from pliant.items.errors import ModelError
from pliant.proofs.verification import CASES, _worst, table, verify

KEYS = {"name", "quantity", "value", "reference", "error", "tolerance", "passed", "steps", "seconds"}


@pytest.mark.parametrize("name", ["A03_andrews", "free_body"])
def test_quick_cases_pass(name):
    rows = verify([name])
    assert rows
    for row in rows:
        assert row.keys() == KEYS
        assert row["passed"], row


def test_the_heavy_top_converges_with_order_two():
    # error = c h^2 + O(h^3): half the step, a quarter of the error
    exact = (-0.150416822746, -0.724165591637, -0.67302226956)
    ends = [CASES["heavy_top"][0]().simulate(2.0, step=h)["top.center.position"][-1] for h in (4e-4, 2e-4)]
    errors = [np.linalg.norm(end - exact) for end in ends]
    assert abs(np.log2(errors[0] / errors[1]) - 2) < 0.1


def test_a_wrong_or_missing_value_fails():
    assert not _worst("x", np.array([1.0, 2.0]), [1.0, 2.1], 0.05)["passed"]
    assert not _worst("x", np.array([1.0, np.nan]), [1.0, 2.0], 0.05)["passed"]
    row = _worst("x", np.array([1.0, 2.0]), [1.0, 2.1], 0.5)
    assert row["passed"]
    assert (row["value"], row["reference"]) == (2.0, 2.1)


@pytest.mark.parametrize("file", ["A02_1_fourbar.csv", "A02_2_fourbar.csv", "A04_bricard.csv"])
def test_reference_series_are_in_the_package(file):
    columns = table(file)
    assert len(columns["t"]) == 201
    assert columns["t"][-1] == 10.0


def test_an_unknown_case_is_named():
    with pytest.raises(ModelError, match="heavy_top"):
        verify(["heavy_tops"])
    assert "A01_pendulum" in CASES


def test_steps_are_chosen_for_an_accuracy():
    rows = verify(["heavy_top"], "normal")
    assert all(row["passed"] for row in rows)
    assert rows[0]["steps"] != verify(["heavy_top"])[0]["steps"]
