"""Models of the shipped examples."""
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path


@cache
def example(name: str):
    """The function that makes the model of an example."""
    spec = spec_from_file_location(name, Path(__file__).parents[2] / "examples" / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.model
