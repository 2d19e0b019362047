"""Imports point one way: each module may import only from its own layer and the layers below."""
import ast
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "pliant"
LAYERS = [
    {"kernels", "choices"},
    {"functions"},
    {"flex"},
    {"families", "items"},
    {"system"},
    {"directory"},
    {"layout", "planes"},
    {"refinement", "reactions", "dynamics", "closing", "velocities", "assembly", "topology", "tree", "tree_programs",
     "flexible_tree", "joint_states"},
    {"integrators", "formulations"},
    {"methods"},
    {"channels", "solution", "stresses", "modal_loads", "collected", "comparison", "automatic", "simulation", "model", "analyses"},
    {"report", "text", "schema", "located", "checks", "connections", "options", "loading", "shipped", "storage",
     "journal", "results", "scene", "tree_figure", "pictures", "stress_pictures", "figures", "styling", "diagnosis", "parts"},
    {"view"},
    {"verification", "bench", "bench_models", "studies"},
    {"commands"},
    {"cli"},
]
LEVEL = {name: k for k, layer in enumerate(LAYERS) for name in layer}


def imported(path: Path) -> set[str]:
    """Parts of the package a file imports at its top level; imports inside functions are for what is needed lazily."""
    found = set()
    depth = len(path.relative_to(PACKAGE).parts)
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.level == depth:
            found |= {node.module.split(".")[0]} if node.module else {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").startswith("pliant."):
            found.add(node.module.split(".")[1])
    return found


def test_imports_point_downward():
    wrong = []
    for path in PACKAGE.rglob("*.py"):
        part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if part == "__init__":
            continue
        assert part in LEVEL, f"{part} is in no layer: add it to this test"
        wrong += [f"{part} imports {other}" for other in imported(path) if other != part and LEVEL.get(other, -1) > LEVEL[part]]
    assert not wrong, "\n".join(sorted(set(wrong)))


def test_heavy_libraries_are_imported_when_needed():
    code = "import sys, pliant; pliant.Model, pliant.RigidBody, pliant.Revolute; " \
           "print([m for m in ('numba', 'scipy', 'h5py', 'matplotlib', 'pandas', 'rich', 'click', 'ruamel.yaml') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
