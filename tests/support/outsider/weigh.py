"""A command of one's own, outside the package (docs/extending.md): ``pliant --plugin weigh.py weigh model.yaml``."""
from pliant.commands.base import MODEL, SET, Answer, command


@command
@MODEL
@SET
def weigh(model, changes):
    """Print the mass of MODEL."""
    from pliant.text.model_files import load_model
    mass = sum(body.mass for body in load_model(model, changes).section("bodies"))
    return Answer({"mass": mass}, f"{mass:.6g} kg")
