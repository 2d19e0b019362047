"""What files of runs keep of models: their text, and the flexible parts and meshes of looks that it names, each once."""
from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..compile.compiled_model import CompiledModel
from ..flex.files import from_image, image, read, write
from ..items.changes import changed_fields
from ..items.meshes import Surface
from ..items.modal import ModalBody
from ..kernels import evaluation
from ..kernels.state_row import parts as state_parts
from ..safe_files.hdf5 import Foreign, is_hdf5, member, numbers, opened, put, text
from ..text.stored_text import from_stored, parts_of, to_stored

if TYPE_CHECKING:
    from ..model import Model
    from ..solution import Solution


MESH = b"pliant mesh 1\n"
LOOKS = ("shape",)           # fields that change no motion
SHORT = 40                   # letters of a value that is told
LOOKED_AT, UNLIKE = 9, 1e-4  # rows; what is left of their forces if the model is another


class Kept(NamedTuple):
    """Of the model of a run, what its file keeps: the text, the parts it names and which bodies have them; ``note``: why the text
    is good for pictures only, or there is none."""
    text: str
    note: str
    parts: dict[str, Any]
    bodies: dict[str, str]


def kept_model(sol: Solution) -> Kept:
    if sol.model is None:
        s = sol.stored
        return Kept(s.text, s.note or "the run has no model", s.parts(), s.bodies) if s else Kept("", "the run has no model", {}, {})
    own = parts_of(sol.model)
    try:
        made = to_stored(sol.model)
    except ValueError as error:
        names = {body: f"part of {body}" for body in own}
        return Kept("", f"the model cannot be written as text: {error}", {names[body]: part for body, part in own.items()}, names)
    bodies = {body: next(name for name, part in made.parts.items() if own[body].same_as(part)) for body in own}
    return Kept(made.text, _python(made.lost), made.parts, bodies)


def _python(items: list[str]) -> str:
    more = f" and {len(items) - 1} more" if len(items) > 1 else ""
    told = "uses a Python function, which cannot be written to a file; use an expression or a Table"
    return f"{items[0]}{more} {told}" if items else ""


def model_from(words: str, parts: Callable[[], dict[str, Any]]) -> Model:
    return from_stored(words, parts())


def differences(words: str, parts: Callable[[], dict[str, Any]], given: Model) -> list[str]:
    """In what a model given back to a run differs from the one in its file, looks aside; both are compared as files keep them, Python
    functions by their names."""
    if not words:
        return []
    made = to_stored(given)
    was, now, found = from_stored(words, parts()), from_stored(made.text, made.parts), list[str]()
    for name in ("gravity", "planar"):
        if getattr(was, name) != getattr(now, name):
            found.append(f"{name} is {getattr(now, name)}, was {getattr(was, name)}")
    for name, item in was.items.items():
        other = now.items.get(name)
        fields = changed_fields(item, other) if other is not None else []
        found += [_told(field, name, getattr(other, field), getattr(item, field)) for field in fields if field not in LOOKS]
    return found


def _told(field: str, name: str, now: Any, was: Any) -> str:
    short = all(len(repr(value)) <= SHORT for value in (now, was))
    return f"{field} of {name!r} is {now!r}, was {was!r}" if short else f"{field} of {name!r} is another"


def other_motion(dynamics: CompiledModel, rows: np.ndarray, gap: float) -> str:
    """A sentence if rows of a run do not satisfy the equations of a model, as where a Python function is another; empty if they do. At a
    jump one of them may not. ``gap``: how far joints were open in the run."""
    s, x, n = dynamics.system, dynamics.memory(), dynamics.system.n_v
    found = list[str]()
    for row in rows[np.unique(np.linspace(0, len(rows) - 1, LOOKED_AT).astype(int))]:
        p, t = {name: part[0] for name, part in state_parts(row[None, :], s.q0.size, s.n).items()}, float(row[0])
        x.q[:], x.v[:], x.H[:], x.a[:], x.lam[:] = p["q"], p["v"], p["H"], 0, 0
        evaluation.run(s.program("residual"), s.data, x, t, 0.0, 0.0, 0.0)
        alone = x.R[:n].copy()
        x.a[:], x.lam[:] = p["a"], p["lam"]
        evaluation.run(s.program("residual"), s.data, x, t, 0.0, 0.0, 0.0)
        left, size = abs(x.R[:n]), max(abs(alone).max(initial=0.0), abs(x.R[:n] - alone).max(initial=0.0))
        if not left.max(initial=0.0) <= UNLIKE * size:
            found.append(f"the forces on {dynamics.body_of(int(left.argmax()) // 6)!r} at t = {t:.4g} s are not those of the run")
        elif not abs(x.R[n:]).max(initial=0.0) <= 10 * gap + UNLIKE * dynamics.length:
            found.append(f"{dynamics.open_joints(row) or 'a joint is open'} at t = {t:.4g} s, as the run did not have it")
    s.failures.take()
    return f"{found[-1]}, so one of its Python functions is another" if len(found) > 1 else ""


def drawn(model: Model | None, channels: Collection[str]) -> Model | None:
    """A model that is shown, if there are channels that tell where its bodies are."""
    due = []
    for body in model.section("bodies") if model else ():
        due += [f"{body.name}.{what}" for what in ("position", "rotation")]
        if isinstance(body, ModalBody):
            due += [f"{body.name}.modal", *(f"{body.name}.{node}.position" for node in body.frames if node not in body.along)]
    return model if all(name in channels for name in due) else None


def parts_in(f: Any) -> dict[str, Any]:
    """Flexible parts in a file of results, by name."""
    group = member(f, "parts", "group") if f.id.links.exists(b"parts") else {}
    return {name: _read(member(group, name, "group")) for name in group}


def write_part(part: Any, group: Any) -> None:
    """A flexible part, or the mesh of a style, into a file of results; large tables are compressed."""
    if isinstance(part, Surface):
        put(group, "points", part.points, packed=True)
        put(group, "cells", part.cells, packed=True)
    else:
        write(part, group, packed=True)


def _read(group: Any) -> Any:
    if not group.id.links.exists(b"cells") or not group.id.links.exists(b"points") or len(group) != 2:
        return read(group)
    return _surface(*(numbers(group, name, None, 3, packed=True)[()] for name in ("points", "cells")))


def _surface(points: np.ndarray, cells: np.ndarray) -> Surface:
    """Of numbers in a file, if they make sense."""
    if not np.isfinite(points).all() or not ((cells >= 0) & (cells < len(points)) & (cells == np.floor(cells))).all():
        raise ValueError("a mesh has triangles between points that are not there")
    return Surface(points, cells.astype(np.int64))


def part_images(sol: Solution) -> dict[str, bytes]:
    """Flexible parts of a run by name, for its journal."""
    return {name: MESH + np.vstack(part).astype("<f8").tobytes() + len(part.cells).to_bytes(8, "little") if isinstance(part, Surface)
            else image(part) for name, part in kept_model(sol).parts.items()}


def parts_from(images: dict[str, bytes]) -> dict[str, Any]:
    return {name: _from_bytes(data) if data.startswith(MESH) else from_image(data) for name, data in images.items()}


def _from_bytes(data: bytes) -> Surface:
    """A mesh in a journal: its points and triangles, then how many of these there are."""
    count = int.from_bytes(data[-8:], "little")
    rows = np.frombuffer(data[len(MESH):-8], "<f8").reshape(-1, 3)
    if not 0 < count < len(rows):
        raise ValueError("a mesh has no points")
    return _surface(rows[:-count], rows[-count:])


def parts_of_file(path: Path, identity: str) -> dict[str, Any]:
    with opened(path, str(path)) as f:
        if text(f, "id") != identity:
            raise Foreign(f"{str(path)!r} holds another run than when it was loaded; load it again")
        return parts_in(f)


def refuse_model(file: Path, shown: str) -> None:
    """A model where the results of a run are due."""
    if file.suffix in (".yaml", ".yml", ".py") and not is_hdf5(file):
        read = "import it" if file.suffix == ".py" else f"pl.read({shown!r}) reads it"
        raise Foreign(f"{shown!r} is a model, not the results of a run; {read}, m.simulate(...) runs it")
