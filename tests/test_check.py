"""check: sick mechanisms with exactly what is wrong with them, healthy ones with nothing, also turned, scaled and reordered."""
import pytest
from sick import HEALTHY, SICK

import pliant as pl


def found(report, *severities):
    return {(f.code, f.items) for f in report.select(*severities)}


@pytest.mark.parametrize("case", [*SICK, *HEALTHY], ids=lambda c: c.name)
def test_what_is_found(case):
    report = case.build().check()
    assert found(report, "error", "warning") == case.expected, str(report)
    if case.notes is not None:
        assert found(report, "note") == case.notes, str(report)
