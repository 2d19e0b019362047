"""Files of flexible runs are whole, for `make verify`: 20 models are run, saved, moved, and opened by a process without their parts.
Pictures, stresses and continued runs must have the bits of those in memory, and a file may be no larger than its parts and its rows."""
import argparse
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
os.environ.setdefault("MPLBACKEND", "Agg")

import flexible_models as fm  # noqa: E402
import sliding_models as sm  # noqa: E402

import pliant as pl  # noqa: E402
from pliant import flex  # noqa: E402
from pliant.flex.files import image  # noqa: E402

SAMPLES, EXAMPLES = HERE / "samples", HERE.parents[1] / "examples"
STEP = {"step": 1e-4, "integrator": pl.GeneralizedAlpha(0.8)}
ROWS = 11
NAMED = 512  # bytes for the entry of a part in its group


# -- parts
@cache
def rod(stress: bool = True, modes: int = 3, damped: bool = False) -> flex.Reduced:
    mesh = flex.mesh_beam([(0, 0, 0), (1, 0, 0)], pl.Section.rectangle(0.02, 0.03), fm.STEEL, elements=12)
    part = flex.reduce(mesh, {"start": (0, 0, 0), "end": (1, 0, 0)}, modes=modes, stress=stress)
    return flex.Reduced(part.names, part.integrals, part.Kqq, part.nodes, 1e-6 * part.Kqq, part.stiffening, part.skin, part.facts,
                        part.stress, part.represented, part.lines) if damped else part


@cache
def solid(element: str = "hex20") -> flex.Reduced:
    mesh = flex.mesh_box((0.4, 0.04, 0.03), (8, 2, 2), fm.STEEL, element=element)
    ends = {name: {"plane": {"point": (x, 0, 0), "normal": (1, 0, 0)}} for name, x in (("start", 0.0), ("end", 0.4))}
    return flex.reduce(mesh, ends, modes=3, stress=True)


# -- models
def swinging(*parts: flex.Reduced, **options: Any) -> pl.Model:
    """A pendulum in space of flexible links, the first interface of each held by the last of the one before."""
    m, held, at = pl.Model("swinging", gravity=(0.5, 1.0, -9.81)), None, np.zeros(3)
    for k, part in enumerate(parts):
        first, last = min(part.nodes, key=lambda n: part.nodes[n].u0[0]), max(part.nodes, key=lambda n: part.nodes[n].u0[0])
        body = m.add(pl.ModalBody(f"link{k}", part, position=tuple(at - part.nodes[first].u0), damping=0.01, **options))
        m.add(pl.Revolute(f"J{k}", held or m.ground.frame(tuple(at)), body[first], axis=(0.1, 1.0, 0.2)))
        held, at = body[last], at + part.nodes[last].u0 - part.nodes[first].u0
    m.add(pl.RigidBody("bob", mass=0.4, inertia=(1e-3, 2e-3, 3e-3), position=tuple(at)))
    m.add(pl.Spherical("hook", held, "bob"))
    m.add(pl.SpringDamper("spring", m.ground.frame((0.2, 0.4, 0.5)), "bob", stiffness=50.0, damping=0.5))
    return m


def pushed(part: flex.Reduced) -> pl.Model:
    """With a Python function, which no file can hold."""
    m = swinging(part)
    m.add(pl.Force("push", "bob", (0, lambda t: 3.0 * t, 0)))
    return m


def from_text(folder: Path, bodies: int) -> pl.Model:
    """Parts from files, which are gone when the run is opened."""
    rod().save(folder / "rod.h5")
    links = "".join(f"  link{k}: {{kind: modal, reduced: rod.h5, position: [{k}, 0, 0], damping: 0.01}}\n" for k in range(bodies))
    joints = "".join(f"  J{k}: {{kind: revolute, between: [{f'link{k - 1}.end' if k else 'ground'}, link{k}.start], axis: [0.1, 1, 0.2]}}\n"
                     for k in range(bodies))
    text = f"pliant: 1\nname: from text\ngravity: [0.5, 1, -9.81]\nbodies:\n{links}joints:\n{joints}style: {{link0: {{color: red}}}}\n"
    (folder / "model.yaml").write_text(text)
    made = pl.read(folder / "model.yaml")
    (folder / "rod.h5").unlink()
    return made


def twice_loaded(folder: Path) -> pl.Model:
    """Two objects of one part."""
    rod().save(folder / "rod.h5")
    made = swinging(flex.Reduced.load(folder / "rod.h5"), flex.Reduced.load(folder / "rod.h5"))
    (folder / "rod.h5").unlink()
    return made


def read_box(name: str) -> flex.Reduced:
    mesh = flex.read(SAMPLES / name, units="mm, t, s") if "mm" in name else flex.read(SAMPLES / name, units="m, kg, s")
    x = mesh.nodes[:, 0]
    places = {name: {"plane": {"point": (at, 0, 0), "normal": (1, 0, 0)}} for name, at in (("start", x.min()), ("end", x.max()))}
    return flex.reduce(mesh, places, modes=2, stress=True)


def example(name: str) -> pl.Model:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.model()


MODELS: dict[str, Callable[[Path], pl.Model]] = {
    "beam with stresses": lambda _: swinging(rod()),
    "two bodies of one part": lambda _: swinging(rod(), rod()),
    "two parts": lambda _: swinging(rod(), solid()),
    "part with damping": lambda _: swinging(rod(damped=True), stiffening="off"),
    "part loaded twice": twice_loaded,
    "text, one file": lambda folder: from_text(folder, 1),
    "text, three bodies of one file": lambda folder: from_text(folder, 3),
    "solid hex20": lambda _: swinging(solid()),
    "solid tet10": lambda _: swinging(solid("tet10")),
    "FE file": lambda _: swinging(read_box("box_mm.inp")),
    "integrals, no skin": lambda _: fm.simeon(),
    "closed loop in space": lambda _: fm.slider_crank(),
    "sliding along a line": lambda _: sm.crane(),
    "Python function": lambda _: pushed(rod()),
    **{name: (lambda _, name=name: example(name)) for name in ("connecting_rod", "crane_boom", "flexible_four_bar", "free_flight",
                                                              "spinning_blade", "two_link_arm")}}


# -- what is compared
def digest(*arrays: Any) -> str:
    found = hashlib.blake2b(digest_size=12)
    for array in arrays:
        found.update(np.ascontiguousarray(array).data)
    return found.hexdigest()


def seen(sol: pl.Solution, file: Path | None = None) -> dict[str, Any]:
    """Digests of what the page shows (also as it reads the file itself), of pictures, of stresses, and of the run continued."""
    from matplotlib import pyplot

    from pliant.view.describe import Description
    from pliant.view.sources import FileSource, SolutionSource
    out: dict[str, Any] = {}
    for name, source in (("page", SolutionSource(sol)), ("page of the file", FileSource(file) if file else SolutionSource(sol))):
        d = Description(source)
        told = json.dumps([d.header[k] for k in ("bodies", "joints", "forces", "places", "low", "high", "symbol", "up", "ground")],
                          default=lambda x: np.asarray(x).tolist())
        out[name] = digest(np.frombuffer(told.encode(), np.uint8), *d.arrays.values(), d.motion(slice(0, source.count())))
    figure = sol.snapshot(t=float(sol.t[-1]))
    figure.canvas.draw()
    out["picture"] = digest(np.asarray(figure.canvas.buffer_rgba()))
    pyplot.close("all")
    for body in [b.name for b in sol.shown.section("bodies") if getattr(b, "reduced", None) is not None and b.reduced.stress is not None]:
        stress = sol.stress(body)
        out[f"stress of {body}"] = digest(stress.at(float(sol.t[-1])), *stress.envelope(progress=False))
    try:
        out["continued"] = digest(sol.resume(5e-4, progress=False).rows)
    except ValueError as error:
        out["continued"] = str(error).partition(":")[0]
    return out


def saved(name: str, folder: Path) -> tuple[pl.Solution, Path]:
    """A run of a model, and its file, in another place than where it was written."""
    (folder / "made").mkdir()
    sol = MODELS[name](folder / "made").simulate(1e-3, output_step=1e-4, progress=False, **STEP)
    sol.save(folder / "made" / "run.h5")
    (folder / "moved").mkdir()
    moved = folder / "moved" / "other.h5"
    shutil.move(folder / "made" / "run.h5", moved)
    shutil.rmtree(folder / "made")
    return sol, moved


def opened_elsewhere(*files: Path) -> list[dict[str, Any]]:
    """What another process sees in the files."""
    command = [sys.executable, str(Path(__file__).resolve()), "--open", *map(str, files)]
    done = subprocess.run(command, cwd=files[0].parent, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return json.loads(done.stdout.splitlines()[-1])


def room(sol: pl.Solution, file: Path) -> int:
    """Bytes that a file may have: those of the same file without parts, and those of the parts by themselves, each with a name."""
    from pliant.results import results_file
    kept, bare = results_file.kept_model(sol), file.with_suffix(".bare.h5")
    with mock.patch.object(results_file, "kept_model", lambda _: kept._replace(parts={})):
        sol.save(bare)
    size = bare.stat().st_size
    bare.unlink()
    return size + sum(len(image(part)) + NAMED for part in kept.parts.values())


def main() -> int:
    asked = argparse.ArgumentParser()
    asked.add_argument("--open", type=Path, nargs="*")
    asked.add_argument("names", nargs="*")
    given, failed = asked.parse_args(), 0
    if given.open:
        print(json.dumps([seen(pl.load(file), file) for file in given.open]))
        return 0
    warnings.simplefilter("ignore")
    for name in given.names or MODELS:
        with tempfile.TemporaryDirectory() as folder:
            sol, file = saved(name, Path(folder))
            here, [there], size, most = seen(sol), opened_elsewhere(file), file.stat().st_size, room(sol, file)
            if name == "Python function":
                here["continued"] = "run 'swinging' cannot be resumed"  # and it says why
            wrong = [key for key in here if here[key] != there.get(key)] + ([f"{size} bytes, at most {most}"] if size > most else [])
            failed += bool(wrong)
            told = f"FAILED: {', '.join(wrong)}" if wrong else "the same"
            print(f"{name:<34} {size / 1e3:8.0f} kB of {most / 1e3:8.0f}  {told}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
