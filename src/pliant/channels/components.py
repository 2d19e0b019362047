"""Names of the components of channels."""
COMPONENTS = {3: ("x", "y", "z"), 4: ("w", "x", "y", "z")}
MODAL = (".modal", ".modal_rate")  # channels whose components are numbered, from 1


def components(channel: str, count: int) -> tuple[str, ...]:
    """Names of the components of a channel."""
    if channel.endswith(MODAL):
        return tuple(str(k + 1) for k in range(count))
    return COMPONENTS.get(count, ())
