"""Figures over channels and frequencies, and of shapes: what is drawn, against closed forms."""

import flexible_models
import mechanisms
import numpy as np
import pytest
from PIL import Image

from pliant import cli
from pliant.plot import spectra_and_shapes


@pytest.fixture(scope="module")
def crank():
    return mechanisms.slider_crank().simulate(0.6, step=2e-3)


def test_a_phase_plot_is_over_the_other_channel(crank, tmp_path):
    fig = spectra_and_shapes.phase(crank, "A.angle", ["slider.position.x", "slider.velocity.x"], tmp_path / "phase.png")
    lines = [line for line in fig.axes[0].lines if line.get_marker() == "None"]
    np.testing.assert_array_equal(lines[0].get_xdata(), crank["A.angle"])
    np.testing.assert_array_equal(lines[1].get_ydata(), crank["slider.velocity.x"])
    assert fig.axes[0].get_xlabel() == "A.angle [rad]"
    with pytest.raises(ValueError, match=r"slider\.position.*name one of them"):
        spectra_and_shapes.phase(crank, "slider.position", "A.angle")


@pytest.mark.parametrize("uneven", [False, True])
def test_the_amplitude_of_a_sine_is_its_own(uneven):
    """3 sin(2 pi 5 t) + 7: a peak of 3 at 5 Hz, nothing of the mean."""
    t = np.linspace(0, 4, 2001)
    if uneven:
        t[1:-1] += 2e-4 * np.sin(50 * t[1:-1])
    f, a = spectra_and_shapes.spectrum_of(t, 3 * np.sin(2 * np.pi * 5 * t) + 7)
    k = int(np.argmax(a))
    assert f[k] == pytest.approx(5, abs=0.01) and a[k] == pytest.approx(3, rel=1e-2)
    assert a[0] < 1e-3
    with pytest.raises(ValueError, match="3 rows, there must be at least 8"):
        spectra_and_shapes.spectrum_of(t[:3], t[:3])


def test_spectra_have_one_axis_per_unit(crank, tmp_path):
    fig = spectra_and_shapes.spectrum(crank, ["slider.position.x", "A.angle_rate"], tmp_path / "fft.png")
    assert [ax.get_ylabel() for ax in fig.axes] == ["amplitude [m]", "amplitude [rad/s]"]
    assert fig.axes[-1].get_xlabel() == "frequency [Hz]"


def test_shapes_tell_their_frequencies(tmp_path):
    part = flexible_models.rod()
    fig = spectra_and_shapes.shapes(part, tmp_path / "shapes.png", [1, 3])
    assert [ax.get_title() for ax in fig.axes] == [f"{k}: {part.frequencies[k - 1]:.4g} Hz" for k in (1, 3)]
    pixels = np.asarray(Image.open(tmp_path / "shapes.png").convert("RGB"), int)
    assert (np.ptp(pixels, axis=2) > 60).sum() > 300
    with pytest.raises(ValueError, match="mode 10 must be from 1 to 9"):
        spectra_and_shapes.shapes(part, modes=[10])
    with pytest.raises(ValueError, match="no skin"):
        spectra_and_shapes.shapes(flexible_models.simeons_rod())


def test_the_commands(tmp_path, monkeypatch, capsys, crank):
    monkeypatch.chdir(tmp_path)
    crank.save("crank.h5")
    flexible_models.rod().save("rod.h5")
    assert cli.execute(["plot", "crank.h5", "slider.velocity.x", "--over", "slider.position.x", "-o", "phase.svg"]) == 0
    assert cli.execute(["plot", "crank.h5", "slider.position.x", "--fft", "-o", "fft.png"]) == 0
    assert cli.execute(["plot", "rod.h5", "--shapes", "-o", "shapes.png"]) == 0
    assert cli.execute(["plot", "rod.h5", "1", "2", "--shapes"]) == 0
    assert all((tmp_path / name).stat().st_size > 1000 for name in ("phase.svg", "fft.png", "shapes.png", "rod.png"))
    capsys.readouterr()
    assert cli.execute(["plot", "crank.h5"]) == 1
    assert "name at least one channel" in capsys.readouterr().err
    assert cli.execute(["plot", "crank.h5", "A.angle", "--fft", "--over", "A.angle"]) == 1
    assert "give one of" in capsys.readouterr().err
