"""Channels that every frame and every run has, and names of the components of channels."""
from collections.abc import Iterable, Mapping

from ..items.base import did_you_mean

FRAME = {"position": ("m", 3), "rotation": ("", 4), "velocity": ("m/s", 3), "acceleration": ("m/s^2", 3),
         "angular_velocity": ("rad/s", 3), "angular_acceleration": ("rad/s^2", 3)}  # unit, number of components
ENERGIES = ("kinetic", "potential", "elastic", "dissipated", "work")
COMPONENTS = {3: ("x", "y", "z"), 4: ("w", "x", "y", "z")}
VECTORS = {quantity: size for quantity, (_, size) in FRAME.items()} | dict.fromkeys(
    ("force", "torque", "force_joint", "torque_joint", "momentum", "angular_momentum"), 3)  # those that have more than one
MODAL = (".modal", ".modal_rate")  # channels whose components are numbered, from 1


def components(channel: str, count: int) -> tuple[str, ...]:
    """Names of the components of a channel."""
    if channel.endswith(MODAL) or count not in (1, *COMPONENTS):
        return tuple(str(k + 1) for k in range(count))
    return COMPONENTS.get(count, ())


def listed(frames: Iterable[str], channels: Mapping[str, tuple[str, int]]) -> dict[str, tuple[str, int]]:
    """{channel: (unit, number of components)} of everything that can be asked for: of frames, of items, and of the model."""
    out = {f"{name}.{quantity}": found for name in frames for quantity, found in FRAME.items()}
    return out | dict(channels) | {f"energy.{e}": ("J", 1) for e in ENERGIES}


def split(name: str, known: Mapping[str, tuple[str, int]]) -> tuple[str, int | None]:
    """A channel of a catalogue, and perhaps the number of a component of it."""
    if name in known:
        return name, None
    whole, _, last = name.rpartition(".")
    if whole in known:
        letters = components(whole, known[whole][1])
        if last in letters:
            return whole, letters.index(last)
    raise KeyError(f"no channel {name!r}{did_you_mean(name, known)}")


def is_number(name: str, known: Mapping[str, tuple[str, int]]) -> bool:
    """Whether a channel of a catalogue is one number at each time."""
    whole, component = split(name, known)
    return component is not None or known[whole][1] == 1
