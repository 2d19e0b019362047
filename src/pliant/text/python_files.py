"""Python files that a user names: models, and plugins. What goes wrong in them is told with file and line."""
from __future__ import annotations

import contextlib
import importlib.util
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from ..items.errors import ModelError


def prepared(file: Path, name: str) -> tuple[ModuleType, Any]:
    """The module of a file, not yet run, and what runs it."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    return importlib.util.module_from_spec(spec), spec.loader


@contextlib.contextmanager
def importing(file: Path) -> Iterator[None]:
    """While a file runs, it finds its neighbours, and what it prints is not part of a command's answer."""
    folder = str(file.parent.absolute())
    sys.path.insert(0, folder)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    except (Exception, SystemExit) as error:
        raise ModelError(_where(file, error)) from error
    finally:
        sys.path.remove(folder)


def _where(file: Path, error: BaseException) -> str:
    """``file:line: what`` of the last line of the user's file that took part."""
    from pydantic import ValidationError

    from ..items.messages import dotted, explain
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f.lineno for f in frames if Path(f.filename) == file.absolute() or f.filename == str(file)]
    if isinstance(error, SyntaxError):
        lines = [error.lineno]
    at = f"{file}:{lines[-1]}" if lines else str(file)
    told = str(error.args[0]) if isinstance(error, (KeyError, SyntaxError)) and error.args else str(error)
    if isinstance(error, ValidationError):
        told = "; ".join(f"{dotted(path)}: {message}" if path else message for path, message in explain(error, None))
    return f"{at}: {told}" if isinstance(error, ValueError) else f"{at}: {type(error).__name__}: {told}"
