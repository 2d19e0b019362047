"""What users make items of, surfaces and curves: wrong values are told in the words of a text model, as those of items are."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from .base import ModelMetaclass, Strict
from .errors import ItemError


class _Friendly(ModelMetaclass):
    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().__call__(*args, **kwargs)
        except ValidationError as error:
            from .messages import dotted, explain
            lines = [f"{dotted(path)}: {message}" if path else message for path, message in explain(error, cls)]  # type: ignore[arg-type]
            told = ItemError("; ".join(f"{cls.__name__.lower()}: {line}" for line in lines))
            told.findings = error
            raise told from None


class Part(Strict, metaclass=_Friendly):
    """Not an item of its own."""

    if TYPE_CHECKING:
        def __init__(self, **given: Any) -> None: ...
