"""Pictures: files are made and show something, the view is chosen well, and wrong requests are refused."""
import io
import sys

import mechanisms
import numpy as np
import pytest
from PIL import Image

import pliant as pl
from pliant.plot import pictures
from pliant.plot.scene import TRIANGLES, _matrices, _wires, nearest, scene, zigzag


@pytest.fixture(scope="module")
def crank():
    return mechanisms.slider_crank().simulate(0.6, step=2e-3)


@pytest.fixture(scope="module")
def box():
    return mechanisms.box_on_springs().simulate(0.5, step=2e-3)


def colours(image) -> int:
    """How many pixels are neither white nor grey."""
    pixels = np.asarray(image.convert("RGB")).astype(int)
    return int((np.ptp(pixels, axis=2) > 60).sum())


def still(sol):
    """The same run, its first row only."""
    return pl.Solution(sol.model, sol.dynamics, sol.rows[:1], sol.energies[:1], sol.quality, complete=True, method=sol.method,
                       step=sol.step, stride=sol.stride, memory={})


# -- plots
def test_plot_has_one_axis_per_unit(crank, tmp_path):
    fig = crank.plot("A.angle", "crank.end.position", "slider.position.x", "energy.*", path=tmp_path / "plot.png")
    labels = [ax.get_ylabel() for ax in fig.axes]
    assert labels == ["angle [rad]", "position [m]", "energy [J]"]
    assert [text.get_text() for text in fig.axes[1].get_legend().get_texts()] == [
        "crank.end.position.x", "crank.end.position.y", "crank.end.position.z", "slider.position.x"]
    np.testing.assert_array_equal(fig.axes[0].lines[0].get_ydata(), crank["A.angle"])
    assert fig.axes[-1].get_xlabel() == "t [s]"
    assert colours(Image.open(tmp_path / "plot.png")) > 2000


def test_plot_leaves_pyplot_alone(crank, tmp_path):
    from matplotlib import pyplot as plt
    before = plt.get_fignums()
    crank.plot("A.angle", path=tmp_path / "a.svg")
    crank.plot("A.angle")  # no display here: a plain figure comes back
    crank.snapshot()
    assert plt.get_fignums() == before
    assert (tmp_path / "a.svg").read_text().startswith("<?xml")


def test_plot_of_a_constant_and_of_one_row(crank, tmp_path):
    low, high = crank.plot("A.angle_rate", path=tmp_path / "constant.png").axes[0].get_ylim()
    assert low < 9.5 < 10.5 < high
    still(crank).plot("A.angle", path=tmp_path / "single.png")
    assert (tmp_path / "single.png").stat().st_size > 1000


def test_plots_that_are_refused(crank, tmp_path):
    with pytest.raises(ValueError, match="name at least one channel"):
        crank.plot()
    with pytest.raises(KeyError, match="did you mean"):
        crank.plot("A.angel")
    with pytest.raises(ValueError, match="too many to read, at most 60"):
        crank.plot("*")
    with pytest.raises(ValueError, match=r"a\.xyz.*must end in one of .*\.png"):
        crank.plot("A.angle", path=tmp_path / "a.xyz")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        crank.plot("A.angle", path=tmp_path / "nowhere" / "a.png")


# -- what is seen
def turned(axis, gravity):
    m = pl.Model("swing", gravity=gravity)
    across = {"x": (0, 1, 0), "y": (1, 0, 0), "z": (1, 0, 0)}[axis]
    rod = m.add(pl.RigidBody.rod("rod", (0, 0, 0), across, mass=1.0))
    m.add(pl.Revolute("A", m.ground, rod["start"], axis=axis))
    return m.simulate(0.2, step=2e-3)


@pytest.mark.parametrize("axis, gravity, view", [("z", (0, -9.81, 0), "xy"), ("y", (0, 0, -9.81), "xz"),
                                                 ("x", (0, 0, -9.81), "yz")])
def test_plane_motions_are_seen_from_the_front(axis, gravity, view):
    sol = turned(axis, gravity)
    assert scene(sol, sol.t).view() == view
    assert scene(still(sol), sol.t[:1]).view() == view


def test_spatial_motions_are_seen_in_space(box, crank):
    assert scene(box, box.t).view() == "3d"
    assert scene(crank, crank.t).view() == "xy"
    assert box.snapshot().axes[0].name == "3d"
    assert crank.snapshot().axes[0].name == "rectilinear"
    assert crank.snapshot(view="3d").axes[0].name == "3d"
    assert box.snapshot(view="xz").axes[0].get_ylabel() == "z [m]"


def test_layers_of_a_plane_mechanism_stay_plane_but_not_far_ones():
    for depth, view in ((0.05, "xy"), (0.8, "3d")):
        m = pl.Model("layers", gravity=(0, -9.81, 0))
        for k in range(2):
            rod = m.add(pl.RigidBody.rod(f"rod{k}", (0, 0, k * depth), (1, 0, k * depth), mass=1.0))
            m.add(pl.Revolute(f"A{k}", m.ground.frame((0, 0, k * depth)), rod["start"], axis="z"))
        sol = m.simulate(0.1, step=5e-3)
        assert scene(sol, sol.t).view() == view


def test_what_is_where(crank):
    """Lines of the scene against channels of the run."""
    s = scene(crank, crank.t[::10], ("crank.end",))
    rod = next(b for b in s.bodies if b.name == "rod")
    for i in range(len(s.t)):
        ends = rod.world(rod.thick, i)
        np.testing.assert_allclose(ends[0], crank["rod.start.position"][10 * i], atol=1e-12)
        np.testing.assert_allclose(ends[1], crank["rod.end.position"][10 * i], atol=1e-12)
    np.testing.assert_allclose(s.joints["B"], crank["crank.end.position"][::10], atol=1e-9)
    np.testing.assert_array_equal(s.grounds, [(0, 0, 0)])
    np.testing.assert_array_equal(s.traces["crank.end"][1], crank["crank.end.position"])
    low, high = s.bounds()
    np.testing.assert_allclose([low[0], high[1]], [-0.15, 0.15], atol=1e-3)
    assert (high >= crank["slider.position"].max(0) - 1e-9).all()


def test_the_frame_holds_the_whole_motion(crank):
    ax = crank.snapshot(t=0.1).axes[0]
    x = crank["slider.position.x"]
    assert ax.get_xlim()[0] < -0.15
    assert ax.get_xlim()[1] > x.max()
    assert ax.get_aspect() == 1.0


def test_snapshot(box, tmp_path):
    box.snapshot(tmp_path / "box.png", t=0.25, trace="box", names=True)
    assert colours(Image.open(tmp_path / "box.png")) > 1000
    assert "t = 0.25" in box.snapshot(t=0.25).axes[0].get_title(loc="left")


def every_shape(tmp_path):
    a, b, c, d = (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)
    with open(tmp_path / "tetra.stl", "w") as f:
        f.write("solid t\n")
        for face in ((a, c, b), (a, b, d), (a, d, c), (b, c, d)):
            corners = "".join("vertex {} {} {}\n".format(*p) for p in face)
            f.write(f"facet normal 0 0 0\nouter loop\n{corners}endloop\nendfacet\n")
        f.write("endsolid t\n")
    m = pl.Model("shapes", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.from_mesh("mesh", tmp_path / "tetra.stl", mass=1.0, angular_velocity=(1, 0, 0)))
    m.add(pl.RigidBody.cylinder("drum", 0.3, 0.5, mass=1.0, position=(2, 0, 0)))
    m.add(pl.RigidBody.cylinder("bar", 0.05, 1.5, mass=1.0, axis="x", position=(4, 0, 0)))
    m.add(pl.RigidBody.sphere("ball", 0.3, mass=1.0, position=(0, 2, 0)))
    m.add(pl.RigidBody("plain", mass=1.0, inertia=(1, 1, 1), position=(2, 2, 0)))
    hung = m.add(pl.RigidBody.sphere("hung", 0.1, mass=1.0, position=(4, 2, 0)))
    m.add(pl.Distance("string", m.ground.frame((4, 2, 1)), hung))
    return m


def test_every_shape_is_drawn(tmp_path):
    sol = every_shape(tmp_path).simulate(0.1, step=5e-3)
    for view in ("3d", "xy"):
        sol.snapshot(tmp_path / "shapes.png", view=view)
        assert colours(Image.open(tmp_path / "shapes.png")) > 2000
    bodies = {b.name: b for b in scene(sol, sol.t).bodies}
    assert len(bodies["mesh"].fine) == 6 * 3  # edges of a tetrahedron, each once, with its end
    assert len(bodies["bar"].thick) == 3
    assert len(bodies["plain"].dots) == 1
    assert len(scene(sol, sol.t).links) == 1


def test_large_meshes_are_thinned():
    rng = np.random.default_rng(0)
    n = 60
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, n), np.linspace(0, np.pi, n), indexing="ij")
    x = np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)], -1)
    halves = [[x[:-1, :-1], x[1:, :-1], x[1:, 1:]], [x[:-1, :-1], x[1:, 1:], x[:-1, 1:]]]
    wires = _wires(np.concatenate([np.stack(half, 2) for half in halves]).reshape(-1, 3, 3))
    assert 100 < len(wires) // 3 <= 3 * TRIANGLES
    points = wires[np.isfinite(wires[:, 0])]
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1, atol=0.1)  # still a sphere
    assert len(_wires(rng.normal(size=(5000, 3, 3)))) // 3 <= 3 * TRIANGLES


def test_joint_points_off_the_shape_are_linked():
    sol = mechanisms.pendulum().simulate(0.05, step=5e-3)
    body = scene(sol, sol.t).bodies[0]
    np.testing.assert_allclose(body.world(body.thin[-3:-1], 0), [(0.8, 0, 0), (0, 0, 0)], atol=1e-12)


def test_small_parts():
    np.testing.assert_array_equal(nearest(np.array([0.0, 1.0, 2.0]), np.array([-1, 0.4, 0.6, 2, 9])), [0, 0, 1, 2, 2])
    line = zigzag(np.zeros(3), np.array([0, 0, 2.0]), 0.1, None)
    np.testing.assert_array_equal(line[[0, -1]], [(0, 0, 0), (0, 0, 2)])
    assert abs(line[:, :2]).max() == pytest.approx(0.05)
    assert zigzag(np.zeros(3), np.zeros(3), 0.1, None).shape == (2, 3)
    q = np.random.default_rng(1).normal(size=(5, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    from pliant.items.base import matrix_of
    np.testing.assert_allclose(_matrices(q), [matrix_of(x) for x in q], atol=1e-14)


def test_snapshots_that_are_refused(crank, tmp_path):
    with pytest.raises(ValueError, match=r"t = 2 s is outside the run, which goes from 0 to 0.6 s"):
        crank.snapshot(t=2)
    with pytest.raises(ValueError, match="view 'yx' must be one of xy, xz, yz, 3d"):
        crank.snapshot(view="yx")
    with pytest.raises(ValueError, match=r"trace 'crank.ennd' is not a body or frame; did you mean 'crank.end'"):
        crank.snapshot(trace=["crank.ennd"])
    with pytest.raises(ValueError, match="two numbers from 1 to 40"):
        crank.snapshot(size=(0, 3))


# -- animations
def test_gif(crank, tmp_path):
    path = crank.animate(tmp_path / "run.gif", fps=5, trace=("rod.center",), size=(4, 3))
    film = Image.open(path)
    assert film.n_frames == 21  # four seconds
    assert film.size == (400, 300)
    assert film.info["duration"] == 200
    shown = []
    for k in (0, 5, 20):
        film.seek(k)
        shown.append(np.asarray(film.convert("RGB")))
        assert colours(film) > 200
        assert tuple(shown[-1][1, 1]) == (255, 255, 255)
    assert (shown[0] != shown[1]).any()
    dark = (shown[0].max(axis=2) < 128).sum(axis=1)
    top, spine = np.flatnonzero(dark)[0], np.flatnonzero(dark > 150)[0]
    assert top < spine - 5  # the time is there, above the axes
    assert (shown[0][top:spine] != shown[1][top:spine]).any()  # and goes on


def test_gif_in_space(box, tmp_path):
    film = Image.open(box.animate(tmp_path / "box.gif", fps=2, size=(4, 3)))
    assert film.n_frames == 9
    film.seek(3)
    assert colours(film) > 200


def test_the_clock():
    times, fps = pictures._clock(0.0, 5.0, 25, None)
    assert (len(times), fps) == (126, 25)  # as it happens
    times, fps = pictures._clock(1.0, 1.1, 25, None)
    assert (len(times), times[0], times[-1]) == (101, 1.0, 1.1)  # slowed down to four seconds
    times, fps = pictures._clock(0.0, 1000.0, 25, None)
    assert len(times) / fps == pytest.approx(10, abs=0.1)
    times, fps = pictures._clock(0.0, 100.0, 25, 1.0)
    assert len(times) == pictures.FRAMES
    assert fps == pytest.approx(3, rel=0.01)
    assert len(pictures._clock(3.0, 3.0, 25, None)[0]) == 1


def test_a_single_row_and_no_motion_are_drawn(crank, tmp_path):
    assert Image.open(still(crank).animate(tmp_path / "one.gif", size=(2, 2))).size == (200, 200)
    m = pl.Model("rest")
    m.add(pl.RigidBody("body", mass=1.0, inertia=(1, 1, 1)))
    rest = m.simulate(0.1, step=0.05)
    rest.animate(tmp_path / "rest.gif", size=(2, 2), fps=1)
    rest.snapshot(tmp_path / "rest.png", view="3d")
    assert colours(Image.open(tmp_path / "rest.png")) > 50


def test_mp4_pipes_every_frame_to_ffmpeg(crank, tmp_path, monkeypatch):
    """A stand-in counts the bytes; ffmpeg itself is an extra."""
    fake = tmp_path / "ffmpeg"
    fake.write_text(f"#!{sys.executable}\nimport sys\nopen(sys.argv[-1], 'w').write(str(len(sys.stdin.buffer.read())))\n")
    fake.chmod(0o755)
    monkeypatch.setattr(pictures.films, "ffmpeg", lambda: str(fake))
    path = crank.animate(tmp_path / "run.mp4", fps=1, size=(2, 2))
    assert int(path.read_text()) == 5 * 200 * 200 * 4
    fake.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('no such codec')\n")
    with pytest.raises(OSError, match=r"run.mp4.*ffmpeg says 'no such codec'; write a .gif"):
        crank.animate(tmp_path / "run.mp4", fps=1, size=(2, 2))


def test_mp4_without_ffmpeg(crank, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    monkeypatch.setattr(pictures.films.shutil, "which", lambda _: None)
    with pytest.raises(ValueError, match=r"pip install pliant\[video\], or write a .gif"):
        crank.animate(tmp_path / "run.mp4")


def test_animations_that_are_refused(crank, tmp_path):
    with pytest.raises(ValueError, match=r"must end in .gif or .mp4"):
        crank.animate(tmp_path / "run.avi")
    with pytest.raises(ValueError, match="fps = 0, must be from 1 to 60"):
        crank.animate(tmp_path / "run.gif", fps=0)
    with pytest.raises(ValueError, match="speed = -1, must be greater than zero"):
        crank.animate(tmp_path / "run.gif", speed=-1)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        crank.animate(tmp_path / "nowhere" / "run.gif")
    with pytest.raises(ValueError, match="no window to show it in; give a file"):
        crank.animate()


# -- loaded runs
def test_loaded_runs_are_drawn(crank, tmp_path):
    def picture(sol):
        file = io.BytesIO()
        sol.snapshot(t=0.3).savefig(file, format="raw")
        return file.getvalue()
    crank.save(tmp_path / "run.h5")
    assert picture(pl.load(tmp_path / "run.h5")) == picture(crank)


def test_runs_without_a_model_are_drawn_from_their_channels(tmp_path):
    sol = mechanisms.slider_crank(lambda t: 10 * t).simulate(0.1, step=2e-3)
    sol.save(tmp_path / "run.h5")
    back = pl.load(tmp_path / "run.h5")
    assert back.model is None
    back.snapshot(tmp_path / "run.png")
    assert colours(Image.open(tmp_path / "run.png")) > 500
    sol.save(tmp_path / "few.h5", record=["A.*"])
    with pytest.raises(ValueError, match="cannot be drawn: its file holds neither a model nor positions"):
        pl.load(tmp_path / "few.h5").snapshot()


@pytest.mark.parametrize("size", [(6.4, 4.8), (4.0, 3.0), (3.0, 5.0)])
@pytest.mark.parametrize("sides", [(1, 1, 10), (10, 1, 1), (1, 10, 10), (1234, 1234, 1234), (1e-3, 1e-3, 1e-3)])
def test_labels_of_axes_in_space_are_inside_the_picture(tmp_path, sides, size):
    m = pl.Model("tower", gravity=(0, 0, -9.81))
    m.add(pl.RigidBody.box("tower", sides, density=1000))
    m.add(pl.Fixed("weld", m.ground, "tower"))
    fig = m.assemble().solution.snapshot(tmp_path / "tower.png", view="3d", size=size)
    ax, edge = fig.axes[0], fig.bbox
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        box = axis.get_tightbbox(fig.canvas.get_renderer())
        assert edge.x0 <= box.x0 and box.x1 <= edge.x1 and edge.y0 <= box.y0 and box.y1 <= edge.y1, axis.get_label_text()
