"""Models from files for the command line: YAML as text, Python modules by their ``model``."""
from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..analyses.entries import ENTRIES, problems
from ..functions.parameters import has_expressions
from ..functions.rewriting import owner_of
from ..items.base import Item, did_you_mean, vector
from ..items.errors import ModelError, TextError
from ..items.messages import explain, fields_of
from ..items.shapes import KINDS as MADE_BY
from ..items.shapes import MAKERS
from ..methods.run_options import OPTIONS
from ..model import SECTIONS, Model
from .model_text import read
from .python_files import importing, prepared
from .yaml_lines import load_yaml, plain


def load_model(path: str, changes: Iterable[str] = ()) -> Model:
    """The model of a .yaml or .py file, with changes such as ``bodies.crank.mass=2 kg``."""
    file = Path(path)
    if file.suffix == ".py":
        model = module_model(file)
        for change in changes:
            apply(model, change)
        return model
    if file.suffix not in (".yaml", ".yml"):
        raise ModelError(f"{path}: a model is a .yaml or a .py file")
    return read(path, changes=changes)


def module_model(file: Path) -> Model:
    """Import a Python file; its ``model`` is a Model or a function that returns one."""
    if not file.is_file():
        found = "is a folder" if file.is_dir() else "is not a file"
        raise ModelError(f"{file}: {found}; a model is a .yaml or a .py file" if file.exists() else f"{file}: file not found")
    module, loader = prepared(file, file.stem)
    before = sys.modules.get(file.stem)
    sys.modules[file.stem] = module
    try:
        with importing(file):
            loader.exec_module(module)
            model = getattr(module, "model", None)
            if callable(model):
                model = model()
    finally:
        if before is not None:
            sys.modules[file.stem] = before
    if not isinstance(model, Model):
        found = type(model).__name__
        raise ModelError(f"{file}: its 'model' must be a pliant Model or a function that returns one, found {found}")
    return model


def apply(model: Model, change: str) -> None:
    """Set a field of an item (``bodies.crank.mass=2 kg`` or ``crank.mass=2 kg``), an option (``simulate.step=1 ms``), gravity,
    planar or the name."""
    path, mark, text = change.partition("=")
    keys = [k.strip() for k in path.split(".")]
    if not mark or not all(keys):
        raise TextError([f"--set {change}: write path=value, such as bodies.crank.mass=2"])
    value = plain(load_yaml(text, f"--set {path}")[0])
    if keys[0] in SECTIONS and len(keys) > 1:
        keys = keys[1:]
    name = owner_of(".".join(keys), {*model.items, *model.parameters})  # names may have points in them
    keys = [name, *keys[len(name.split(".")):]]
    try:
        _assign(model, keys, value)
    except ValidationError as error:
        raise TextError([f"--set {path}: {message}" for _, message in explain(error, None)]) from None
    except (KeyError, ValueError) as error:
        raise TextError([f"--set {path}: {error.args[0] if error.args else error}"]) from None


def _assign(model: Model, keys: list[str], value: Any) -> None:
    if keys == ["gravity"]:
        model.gravity = TypeAdapter(vector("m/s^2")).validate_python(value)
    elif keys == ["planar"]:
        model.planar = value
    elif keys == ["name"]:
        model.name = str(value)
    elif keys[0] == "simulate" and len(keys) == 2:
        if keys[1] not in OPTIONS:
            raise ValueError(f"unknown option {keys[1]!r}{did_you_mean(keys[1], OPTIONS)}")
        model.settings[keys[1]] = value
    elif keys[0] in ENTRIES and len(keys) == 2:
        for _, problem in problems(keys[0], {keys[1]: value}, [keys[1]]):
            raise ValueError(problem)
        model.analyses.setdefault(keys[0], {})[keys[1]] = value
    elif (keys[0] in model.parameters and len(keys) == 1) or has_expressions(value):
        model.set(".".join(keys), value)
    elif len(keys) == 3 and keys[1] in MAKERS:
        item = model[keys[0]]
        made = getattr(item, "_made", None)
        if made is None or type(made.shape) is not MADE_BY[keys[1]] or keys[2] not in type(made.shape).model_fields:
            raise ValueError(f"{keys[0]!r} is not made by {keys[1]!r} with {keys[2]!r}")
        setattr(item, keys[2], value)
    elif len(keys) == 2 and isinstance(model[keys[0]], Item):
        item = model[keys[0]]
        fields = fields_of(type(item))
        if keys[1] not in fields:
            raise ValueError(f"{keys[0]!r} has no field {keys[1]!r}{did_you_mean(keys[1], fields)}")
        setattr(item, keys[1], value)
    elif len(keys) == 2:
        raise ValueError(f"model {model.name!r} has neither an item {keys[0]!r} nor a parameter {'.'.join(keys)!r}"
                         f"{did_you_mean('.'.join(keys), [*model.parameters, *model.items])}")
    else:
        raise ValueError("of a Python model gravity, planar, ITEM.FIELD, and simulate.OPTION or that of another analysis can be set")
