"""Two checks of one's own, outside the package (docs/extending.md)."""
from pliant.diagnosis.registry import ASSEMBLED, ITEMS, check
from pliant.report.finding import NOTE, WARNING, Finding


@check("no-gravity", "a model without gravity", ITEMS)
def weightless(model):
    """With the Model as it is written."""
    if not any(model.gravity):
        yield Finding("no-gravity", NOTE, (), f"model {model.name!r} has no gravity.", "Nothing, if it is in space or lies flat.")


@check("below-the-floor", "a body that begins below z = 0", ASSEMBLED)
def below(e):
    """With the Examination, where the run begins."""
    for name, body in e.dynamics.directory.stated.items():
        z = e.q[body.iq + 2]
        if z < 0:
            yield Finding("below-the-floor", WARNING, (name,), f"body {name!r} begins {-z:.3g} m below the floor.", "Lift it.")
