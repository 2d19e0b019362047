"""All kinds of items, those of the package and those written outside: what contract tests go through."""
from outsider import attraction, gyrostat, slot_joint, soft_sensor

from pliant.items import kinds
from pliant.items.base import KINDS, Item

HERE = (kinds, attraction, gyrostat, slot_joint, soft_sensor)  # importing them fills KINDS


def every_kind() -> list[tuple[str, type[Item]]]:
    """("section kind", class); classes that a test makes for itself are left out."""
    found = [(f"{section} {kind}", cls) for section, own in KINDS.items() for kind, cls in own.items()]
    return sorted((name, cls) for name, cls in found if cls.__module__.split(".")[0] in ("pliant", "outsider"))


def brings_bodies(cls: type[Item]) -> bool:
    """Whether its example has bodies of its own."""
    return any(item.section == "bodies" for item in cls.example("ground", "B"))
