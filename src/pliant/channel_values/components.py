"""Channels that every frame and every run has, and names of the components of channels."""
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
