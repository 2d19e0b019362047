"""What plain names in the expressions of a model stand for: numbers for parameters, trees for variables, tables that are called."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .expression import Node, Number
from .parameters import Parameter
from .parser import Names, parse


def names_of(parameters: Mapping[str, Parameter], tables: Mapping[str, Any], variables: Mapping[str, str]) -> Names:
    """``variables``: their expressions. Each is parsed when it is first used, and its tree is shared by all expressions."""
    return Names(_Values(parameters, tables, variables), dict(tables))


class _Values(Mapping[str, Node | None]):
    """Nodes by name. Variables that need each other are named when they are asked for."""

    def __init__(self, parameters: Mapping[str, Parameter], tables: Mapping[str, Any], variables: Mapping[str, str]) -> None:
        self.nodes: dict[str, Node] = {name: Number(float(p.value)) for name, p in parameters.items()}
        self.variables, self.names, self.underway = dict(variables), Names(self, dict(tables)), list[str]()

    def __getitem__(self, name: str) -> Node:
        if name not in self.nodes:
            expression = self.variables[name]
            if name in self.underway:
                loop = " -> ".join([*self.underway[self.underway.index(name):], name])
                raise ValueError(f"variables need each other: {loop}; break the loop")
            self.underway.append(name)
            try:
                self.nodes[name] = parse(expression, ("t",), self.names)
            finally:
                self.underway.remove(name)
        return self.nodes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self.nodes, *self.variables]))

    def __len__(self) -> int:
        return len({*self.nodes, *self.variables})
