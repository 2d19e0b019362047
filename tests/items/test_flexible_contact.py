"""Flexible bodies that are struck and stopped: exact shapes of beams to 1e-6, meshes to 1e-3, against SciPy with located events."""
import exact_beams as b
import numpy as np
import pytest

# 10 odd modes: the largest force, when, when it leaves and how fast
FORCE, WHEN, LEAVES, BACK = 4.977429678617133, 7.25501706204039e-05, 0.0001563955146141983, 0.003023166468563802
CROSSINGS = {  # of the tip through the end of the spring
    1: (0.059652328023058324, 0.06403636051913839, 0.1833410165652547, 0.18772504906133478, 0.3070297051074511, 0.31141373760353114,
        0.4307183936496475, 0.4351024261457275),
    4: (0.05863815614005851, 0.060918933683248265, 0.06399489401050258, 0.06589389359867502, 0.0690450728224779, 0.07117775761028036,
        0.0790301339590779, 0.0814978594886253, 0.08357281308980657, 0.08522523270806318, 0.2025540329725003, 0.20437710563950773),
    8: (0.05865520435815386, 0.06555538133649397, 0.06586280847759617, 0.06749493296672339, 0.06939344117142134, 0.07138325813027305,
        0.07859499301939141, 0.08416380075263495, 0.20358742445629613, 0.20528263197819077, 0.20749945322521396, 0.21001928462857625)}
TIP = {1: (0.0739571946759161, 0.07325286409091923), 4: (0.07614304148206483, 0.001979815199282289),
       8: (0.07618441258847163, 0.008661433339631883)}
ENERGY = {1: 0.3697859733795805, 4: 0.3807152074103241, 8: 0.3809220629423582}


def blow(m):
    """Force at its largest and when, when the ball leaves, and with what speed."""
    begins, around = b.BEGINS / b.SPEED, WHEN + np.linspace(-1e-7, 1e-7, 5)
    sol = m.simulate(2.2e-4, accuracy=1e-8, output_times=[*(begins + around), 2.2e-4], progress=False)
    touch, leave = sol.events.of("c")
    assert touch.t == pytest.approx(begins, abs=1e-15) and touch.value == pytest.approx(b.SPEED, rel=1e-12)
    a, half, top = np.polyfit((around - WHEN) / 1e-7, sol["c.normal_force"][1:-1], 2)
    assert abs(sol.energy.balance - sol.energy.balance[0]).max() < 1e-8 * sol.energy.kinetic[0]
    return top - half**2 / (4 * a), WHEN - 1e-7 * half / (2 * a), leave.t - begins, sol["ball.velocity"][-1, 2]


def test_a_ball_strikes_a_beam():
    """Timoshenko 1913, 10 odd modes."""
    assert blow(b.struck()) == pytest.approx((FORCE, WHEN, LEAVES, BACK), rel=1e-6)


@pytest.mark.filterwarnings("ignore:material")
def test_a_ball_strikes_a_meshed_beam():
    assert blow(b.struck(20, mesh=40)) == pytest.approx((FORCE, WHEN, LEAVES, BACK), rel=1e-3)


@pytest.mark.parametrize("modes", CROSSINGS)
def test_a_cantilever_swings_against_a_stop(modes):
    """Every crossing, the tip in the end, and the energy, which stays."""
    sol = b.stopped(modes).simulate(0.5, accuracy=1e-8, output_step=0.01, progress=False)
    assert [e.t for e in sol.events][:12] == pytest.approx(CROSSINGS[modes], abs=1e-9)
    assert sol["bar.tip.position"][[0, -1], 2] == pytest.approx(TIP[modes], abs=1e-8)
    energy = sol.energy.kinetic + sol.energy.elastic
    assert energy == pytest.approx(ENERGY[modes], rel=1e-8)


@pytest.mark.filterwarnings("ignore:material")
def test_a_meshed_cantilever_swings_against_a_stop():
    """Nine modes that bend it along the stop's way, and four across it. Modes beyond the eighth count in later crossings."""
    sol = b.stopped(13, mesh=40).simulate(0.1, accuracy=1e-8, output_step=0.01, progress=False)
    assert sol.events[0].t == pytest.approx(CROSSINGS[8][0], rel=1e-3)
    energy = sol.energy.kinetic + sol.energy.elastic
    assert energy[0] == pytest.approx(ENERGY[8], rel=1e-3) and np.ptp(energy) < 1e-8 * energy[0]
