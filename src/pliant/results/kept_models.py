"""What files of runs keep of models: their text, and the flexible parts that it names, each once."""
from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..flex.files import from_image, image, read
from ..items.modal import ModalBody
from ..safe_files.hdf5 import Foreign, member, opened, text
from ..text.stored_text import from_stored, parts_of, to_stored

if TYPE_CHECKING:
    from ..flex.reduced import Reduced
    from ..model import Model
    from ..solution import Solution


class Kept(NamedTuple):
    """Of the model of a run, what its file keeps: the text, the parts it names and which bodies have them; ``note``: why the text
    is good for pictures only, or there is none."""
    text: str
    note: str
    parts: dict[str, Reduced]
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
    bodies = {body: next(name for name, part in made.parts.items() if part.same_as(own[body])) for body in own}
    return Kept(made.text, _python(made.lost), made.parts, bodies)


def _python(items: list[str]) -> str:
    more = f" and {len(items) - 1} more" if len(items) > 1 else ""
    told = "uses a Python function, which cannot be written to a file; use an expression or a Table"
    return f"{items[0]}{more} {told}" if items else ""


def model_from(words: str, parts: Callable[[], dict[str, Reduced]]) -> Model:
    return from_stored(words, parts())


def drawn(model: Model | None, channels: Collection[str]) -> Model | None:
    """A model that is shown, if there are channels that tell where its bodies are."""
    due = []
    for body in model.section("bodies") if model else ():
        due += [f"{body.name}.{what}" for what in ("position", "rotation")]
        if isinstance(body, ModalBody):
            due += [f"{body.name}.modal", *(f"{body.name}.{node}.position" for node in body.frames if node not in body.along)]
    return model if all(name in channels for name in due) else None


def parts_in(f: Any) -> dict[str, Reduced]:
    """Flexible parts in a file of results, by name."""
    group = member(f, "parts", "group") if f.id.links.exists(b"parts") else {}
    return {name: read(member(group, name, "group")) for name in group}


def part_images(sol: Solution) -> dict[str, bytes]:
    """Flexible parts of a run by name, for its journal."""
    return {name: image(part) for name, part in kept_model(sol).parts.items()}


def parts_from(images: dict[str, bytes]) -> dict[str, Reduced]:
    return {name: from_image(data) for name, data in images.items()}


def parts_of_file(path: Path, identity: str) -> dict[str, Reduced]:
    with opened(path, str(path)) as f:
        if text(f, "id") != identity:
            raise Foreign(f"{str(path)!r} holds another run than when it was loaded; load it again")
        return parts_in(f)
