"""Imports point one way: each room may import only from itself and the rooms below, also inside functions. docs/map.md shows the rooms."""
import ast
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "pliant"
# from the bottom; model, solution, simulation and cli are single files
ROOMS = ("kernels", "functions", "safe_files", "flex", "families", "items", "report", "compile", "joint_space", "start",
         "channel_values", "methods", "solution", "model", "analyses", "text", "results", "simulation", "diagnosis", "plot",
         "view", "proofs", "commands", "cli")
LEVEL = {room: k for k, room in enumerate(ROOMS)}
FACADES = {"__init__", "_facade"}  # tables of names and where they are: they may point anywhere


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def only_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def imports_in(node: ast.AST) -> list[ast.ImportFrom | ast.Import]:
    """All of them, in functions too; not those that only a type checker sees."""
    found = [node] if isinstance(node, ast.ImportFrom | ast.Import) else []
    for child in [] if only_for_types(node) else ast.iter_child_nodes(node):
        found += imports_in(child)
    return found


def imported_rooms(path: Path) -> list[tuple[str, int]]:
    """(room, line) of every import of the package in a file."""
    found, depth = [], len(path.relative_to(PACKAGE).parts)
    for node in imports_in(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == depth:
            found += [(name, node.lineno) for name in ([node.module.split(".")[0]] if node.module else [a.name for a in node.names])]
        else:
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
            names += [a.name for a in node.names] if isinstance(node, ast.Import) else []
            found += [(name.split(".")[1], node.lineno) for name in names if name.startswith("pliant.")]
    return found


def test_every_module_is_in_a_room():
    loose = {path.stem for path in PACKAGE.glob("*.py")} - FACADES
    assert loose == {"model", "solution", "simulation", "cli"}
    assert {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()} | loose == set(ROOMS)


def test_every_room_says_what_it_is_for():
    silent = [str(path) for path in PACKAGE.rglob("__init__.py") if not ast.get_docstring(ast.parse(path.read_text()))]
    assert not silent


def test_imports_point_downward():
    wrong = [f"{path.relative_to(PACKAGE)}:{line} imports {other}" for path in sorted(PACKAGE.rglob("*.py")) if room_of(path) not in FACADES
             for other, line in imported_rooms(path) if LEVEL.get(other, -1) > LEVEL[room_of(path)]]
    assert not wrong, "\n".join(wrong)


def test_heavy_libraries_are_imported_when_needed():
    code = "import sys, pliant; pliant.Model, pliant.RigidBody, pliant.Revolute; " \
           "print([m for m in ('numba', 'scipy', 'h5py', 'matplotlib', 'pandas', 'rich', 'click', 'ruamel.yaml') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_every_public_name_is_there():
    import pliant
    missing = [f"{package.__name__}.{name}" for package in (pliant, pliant.flex) for name in package.__all__ if not hasattr(package, name)]
    assert not missing
