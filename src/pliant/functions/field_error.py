"""The error of a wrong value that knows the field it is about, so that nobody has to find it in the sentence."""
from __future__ import annotations

from typing import Any


class FieldError(ValueError):
    """A wrong value: the message is ``field: rule``. ``path`` leads to it: the field, and ``at``, numbers in lists or keys.

    ``mark`` stands between field and rule in the message, ``before`` in front of both.
    """

    def __init__(self, field: Any, rule: str, *at: Any, mark: str = ": ", before: str = "") -> None:
        self.path: tuple[Any, ...] = (field, *at)
        self.rule, self.mark, self.before = rule, mark, before
        super().__init__(before + self.told)

    @property
    def field(self) -> str:
        return str(self.path[0])

    @property
    def told(self) -> str:
        """Field and rule, without what stands in front."""
        return f"{self.field}{''.join(f'[{k}]' if isinstance(k, int) else f'.{k}' for k in self.path[1:])}{self.mark}{self.rule}"
