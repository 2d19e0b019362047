"""End states of 20 steps of every example as JSON; test_examples.py runs this file without JIT and imports it with JIT."""
import importlib.util
import json
from pathlib import Path
from types import ModuleType

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))
STEPS = 20


def load(name: str) -> ModuleType:
    """An example as a module, without putting its folder on the path."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def end_states() -> dict[str, list[float]]:
    """{example: position and velocity coordinates after 20 steps}."""
    states = {}
    for name in NAMES:
        example = load(name)
        sol = example.model().simulate(STEPS * example.DURATION / 10_000, step=example.DURATION / 10_000)
        s = sol.dynamics.system
        states[name] = sol.rows[-1, 3:3 + s.q0.size + s.n].tolist()
    return states


if __name__ == "__main__":
    print(json.dumps(end_states()))
