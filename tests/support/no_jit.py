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
    """{example: position and velocity coordinates after 20 steps}; with rigid contacts, which need an accuracy, after the same time."""
    states = {}
    for name in NAMES:
        example = load(name)
        if not hasattr(example, "DURATION"):  # a path of equilibria
            continue
        model, step = example.model(), example.DURATION / 10_000
        rigid = {"accuracy": 1e-6, "integrator": "dormand-prince-54", "output_step": STEPS * step}
        sol = model.simulate(STEPS * step, **(rigid if model.compile().system.rigid else {"step": step}))
        s = sol.dynamics.system
        states[name] = sol.rows[-1, 3:3 + s.q0.size + s.n].tolist()
    return states


if __name__ == "__main__":
    print(json.dumps(end_states()))
