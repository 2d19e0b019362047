"""Pictures of all examples for docs/gallery.md: runs each, opens its page in Chromium, and keeps what is seen. Needs the extra ``test``.

python viewer/gallery.py [NAME…]
"""

from __future__ import annotations

import importlib.util
import io
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests" / "support")]
from browser import Tab, launched  # noqa: E402

SIZE, KEPT = (1280, 800), (800, 500)
SHOWN = {  # what is done before the picture: part of the time, and a script
    "adaptive_control": (0.4, "a.plot('k.output'); a.plot('error')"),
    "andrews": (0.55, "a.trace('K5'); a.store.set({names: true})"),
    "bricard": (0.4, ""),
    "cam_lift_off": (0.63, "a.plot('touch.displacement')"),
    "cardan_shaft": (0.3, "a.store.set({forces: false})"),
    "connecting_rod": (0.3, "a.store.set({colorBy: 'stress'})"),
    "crane_boom": (0.5, "a.store.set({forces: true})"),
    "deep_arch": (0.6, "a.trace('arch.node_12')"),
    "docking": (0.9, "a.trace('craft'); a.trace('station'); a.plot('gap.distance')"),
    "double_four_bar": (0.045, "a.store.set({forces: true})"),
    "flexible_arm": (0.6, "a.store.set({colorBy: 'displacement', scale: 5, ghost: true}); a.plot('motor.torque')"),
    "flexible_four_bar": (0.6, "a.store.set({colorBy: 'displacement', scale: 4, ghost: true})"),
    "flexible_slider_crank": (0.35, ""),
    "flying_spaghetti": (0.55, "a.trace('spaghetti.start'); a.trace('spaghetti.end')"),
    "four_bar": (0.06, "a.trace('top.center')"),
    "free_flight": (0.5, "a.trace(a.first.header.bodies[0].name)"),
    "fuzzy_controller": (0.1, "a.plot('rail.displacement'); a.plot('motor.force')"),
    "gear_pair": (0.5, ""),
    "geneva_drive": (0.6, "a.plot('A.angle_rate'); a.plot('B.angle_rate')"),
    "heavy_top": (0.5, ""),
    "hoist_rope": (0.2, "a.trace('load'); a.plot('load.position.x')"),
    "hydraulic_crane": (0.4, "a.plot('hinge.angle'); a.plot('hinge_cylinder.cap.pressure')"),
    "inverted_pendulum": (0.05, "a.plot('pin.angle'); a.plot('motor.force')"),
    "jammed_four_bar": (0.5, "a.trace('coupler.node_6'); a.plot('motor.effort')"),
    "latch": (0.3, "a.plot('hinge.angle'); a.plot('hinge.locked')"),
    "lees_frame": (0.5, "a.trace('beam.node_2')"),
    "motor_position": (0.37, "a.plot('shaft.angle'); a.plot('pid.output')"),
    "pendulum": (0.2, ""),
    "rocking_block": (0.19, "a.plot('block.angular_velocity.y'); a.plot('floor.normal_force')"),
    "rolled_strip": (0.7, "a.trace('strip.end')"),
    "rolling_disc": (0.6, "a.trace('disc')"),
    "rotor": (0.5, ""),
    "six_axis_arm": (0.3, "a.store.set({colorBy: 'displacement'}); a.plot('motor2.current'); a.plot('motor3.current')"),
    "slider_crank": (0.3, "a.store.set({forces: true})"),
    "slider_crank_clearance": (0.5, "a.plot('bearing.eccentricity'); a.plot('bearing.force')"),
    "spinning_blade": (0.42, "a.store.set({colorBy: 'displacement', ghost: true})"),
    "spun_beam": (0.42, "a.trace('beam.end')"),
    "suspended_platform": (0.02, ""),
    "telescopic_boom": (0.6, "a.store.set({colorBy: 'displacement'})"),
    "tippe_top": (0.35, "a.trace('top.crown'); a.plot('top.crown.position.z')"),
    "two_link_arm": (0.5, "a.store.set({colorBy: 'displacement', ghost: true})"),
    "whipping_arm": (0.08, "a.trace('load'); a.plot('motor.effort')"),
    "woodpecker": (0.36, "a.plot('swing.angle'); a.plot('fall.displacement')"),
}


def example(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(names: list[str]) -> None:
    target = ROOT / "docs" / "gallery"
    target.mkdir(exist_ok=True)
    known = sorted(p.stem for p in (ROOT / "examples").glob("*.py"))
    with launched() as browser, tempfile.TemporaryDirectory() as folder:
        for name in names or known:
            page = example(name).run().to_html(Path(folder) / f"{name}.html")
            part, script = SHOWN.get(name, (0.37, ""))
            tab = Tab(browser, SIZE).open(page.as_uri())
            tab(f"(() => {{ const a = pliant.app; a.panel('outline', false); {script} }})()")
            tab(f"pliant.seek(pliant.app.player.start + {part} * (pliant.app.player.end - pliant.app.player.start))")
            tab.page.wait_for_timeout(600)
            picture = Image.open(io.BytesIO(tab.page.screenshot())).convert("RGB").resize(KEPT, Image.Resampling.LANCZOS)
            picture.save(target / f"{name}.jpg", quality=82, optimize=True)
            print(name, (target / f"{name}.jpg").stat().st_size, tab.errors)
            tab.close()


def whole_page() -> None:
    """The page with everything open, for docs/viewer.md."""
    with launched() as browser, tempfile.TemporaryDirectory() as folder:
        page = example("two_link_arm").run().to_html(Path(folder) / "run.html")
        tab = Tab(browser, (1440, 900)).open(page.as_uri())
        tab("pliant.app.store.set({colorBy: 'displacement', forces: true}); pliant.app.select('fore'); pliant.app.trace('fore.end')")
        for channel in ("fore.end.position", "energy.kinetic"):
            tab("channel => pliant.app.plot(channel)", channel)
        tab.seek(1.2)
        tab.page.wait_for_timeout(600)
        picture = Image.open(io.BytesIO(tab.page.screenshot())).convert("RGB").resize((1200, 750), Image.Resampling.LANCZOS)
        picture.save(ROOT / "docs" / "gallery" / "page.jpg", quality=84, optimize=True)
        tab.close()


if __name__ == "__main__":
    if sys.argv[1:] == ["page"]:
        whole_page()
        sys.exit()
    main(sys.argv[1:])
