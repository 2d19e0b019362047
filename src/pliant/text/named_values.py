"""Parameters and tables of a text model."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..functions.field_error import FieldError
from ..functions.parameters import Parameter, check_name, evaluated
from ..functions.rewriting import clash
from ..functions.table import Table
from ..functions.table2 import Table2
from ..functions.table_files import from_file, grid_from_file
from ..functions.units import must, parse_unit, quantity, shown
from ..items.base import did_you_mean
from .yaml_lines import plain

if TYPE_CHECKING:
    from .model_text import _Reader

KEYS = ("x", "y", "z", "kind", "beyond", "file", "grid", "units")


def read_parameters(reader: _Reader) -> dict[str, Parameter]:
    """All that can be computed; what is wrong with others is told."""
    given: dict[str, Any] = {}
    for name, value in reader.mapping(("parameters",), reader.data.get("parameters"), "names to numbers").items():
        try:
            check_name(name, lambda n: "")
            if wrong := clash(name, given):
                raise ValueError(wrong)
            given[name] = plain(value)
        except ValueError as error:
            reader.note(("parameters", name), str(error))
    while True:
        try:
            found = evaluated(given)
            break
        except FieldError as error:
            reader.note(("parameters", error.field), error.rule)
            del given[error.field]
    reader.named |= dict.fromkeys(found, "a parameter")
    return found


def read_tables(reader: _Reader) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in reader.mapping(("tables",), reader.data.get("tables"), "names to tables").items():
        try:
            check_name(name, lambda n: reader.named.get(n, ""))
            if wrong := clash(name, (*reader.named, *found)):
                raise ValueError(wrong)
            found[name] = _table(reader, name, plain(value))
        except FieldError as error:
            reader.note(("tables", name, *error.path), error.rule)
        except ValueError as error:
            reader.note(("tables", name), str(error))
    reader.named |= dict.fromkeys(found, "a table")
    return found


def _table(reader: _Reader, name: str, spec: Any) -> Table | Table2:
    if not isinstance(spec, dict):
        raise ValueError(must(spec, "must be a mapping such as {x: [0, 1], y: [0, 5]} or {file: gas.csv, x: angle, y: pressure}"))
    for key in spec:
        if key not in KEYS:
            raise FieldError(str(key), f"unknown key {shown(key)}{did_you_mean(str(key), KEYS)}")
    words = {k: spec[k] for k in ("kind", "beyond") if k in spec}
    units, files = spec.get("units"), [k for k in ("file", "grid") if k in spec]
    if len(files) > 1:
        raise FieldError("grid", "file is given as well; file has columns, grid has x in its first column and y in its first line")
    for key in files:
        if not isinstance(spec[key], str):
            raise FieldError(key, must(spec[key], "must be the name of a file"))
        path = reader.folder / spec[key]
        try:
            if key == "grid":
                return grid_from_file(path, units or ("", "", ""), **words)
            return from_file(path, spec.get("x", 0), spec.get("y", 1), units or ("", ""), **words)
        except ValueError as error:
            raise FieldError(key, str(error)) from None
    columns = [k for k in ("x", "y", "z") if k in spec]
    if columns[:2] != ["x", "y"]:
        raise ValueError("needs x and y, lists of numbers, or a file")
    if units is not None and (not isinstance(units, list) or len(units) != len(columns)):
        raise FieldError("units", must(units, f"must be a list of {len(columns)} units"))
    lists = [_numbers(key, spec[key], (units or [""] * 3)[k]) for k, key in enumerate(columns)]
    return Table2(*lists, **words) if "z" in spec else Table(*lists, **words)


def _numbers(key: str, values: Any, unit: Any) -> Any:
    """A list of numbers, or of rows of them, in SI units; texts with units too."""
    if not isinstance(unit, str):
        raise FieldError("units", must(unit, "must be units, such as [deg, bar]"))
    try:
        factor = parse_unit(unit).factor
    except ValueError as error:
        raise FieldError("units", str(error)) from None

    def number(value: Any, *at: int) -> Any:
        if isinstance(value, list):
            return [number(v, *at, k) for k, v in enumerate(value)]
        try:
            return quantity(value, unit) * (1.0 if isinstance(value, str) and not _bare(value) else factor)
        except ValueError as error:
            raise FieldError(key, str(error), *at) from None
    return number(values) if isinstance(values, list) else values


def _bare(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
