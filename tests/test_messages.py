"""Control flow never reads the text of a message: errors say by their types and attributes what they are about."""
import ast
from pathlib import Path

import pytest
from pydantic import model_validator

import pliant as pl
from pliant.functions.field_error import FieldError
from pliant.items.base import KINDS
from pliant.items.errors import OptionError, TextError
from pliant.methods.selection import chosen
from pliant.text.model_text import from_text

PACKAGE = Path(__file__).parents[1] / "src" / "pliant"
CUTTING = {"startswith", "endswith", "partition", "rpartition", "removeprefix", "removesuffix", "split", "rsplit", "splitlines", "find",
           "index", "replace", "count"}
PATTERNS = {"match", "search", "fullmatch", "findall", "finditer", "sub", "split"}
ALLOWED = {
    ("safe_files/hdf5.py", "'truncated' in str(error)"): "h5py raises an OSError without a number; only its text tells a truncated file",
    ("text/yaml_lines.py", "re.search(pattern, str(error.problem))"): "the parser of YAML tells what it found in words alone",
    ("text/yaml_lines.py", "str(error).splitlines()"): "only shortens what is shown",
    ("proofs/studies/work_precision.py", "str(error).partition('. ')"): "only shortens what is shown",
}


def errors_of(function: ast.AST) -> set[str]:
    """Names of variables in a function that hold exceptions."""
    found = {"error"}
    for node in ast.walk(function):
        if isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        if isinstance(node, ast.arg) and node.annotation is not None and "Error" in ast.unparse(node.annotation):
            found.add(node.arg)
    return found


def is_message(node: ast.AST, errors: set[str]) -> bool:
    """str(error), repr(error), error.args[0], or the same of an attribute of it."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("str", "repr") and node.args:
        inner = node.args[0]
        while isinstance(inner, ast.Attribute | ast.Subscript):
            inner = inner.value
        return isinstance(inner, ast.Name) and inner.id in errors
    return isinstance(node, ast.Subscript) and ast.unparse(node.value) in {f"{name}.args" for name in errors}


def is_class_name(node: ast.AST) -> bool:
    """type(x).__name__"""
    return (isinstance(node, ast.Attribute) and node.attr == "__name__" and isinstance(node.value, ast.Call)
            and ast.unparse(node.value.func) == "type")


def readings(tree: ast.AST) -> set[str]:
    """Expressions that decide or cut by the text of a message, by the name of a class, or by notes."""
    found, functions = set(), [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.Module)]
    for function in functions:
        errors = errors_of(function)
        assigned = [n for n in ast.walk(function) if isinstance(n, ast.Assign) and any(is_message(v, errors) for v in ast.walk(n.value))]
        told = {t.id for n in assigned for t in n.targets if isinstance(t, ast.Name)}

        def text(node: ast.AST, errors=errors, told=told) -> bool:
            return is_message(node, errors) or (isinstance(node, ast.Name) and node.id in told)
        for node in ast.walk(function):
            cut = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            if cut and node.func.attr in CUTTING and text(node.func.value):
                found.add(ast.unparse(node))
            if cut and ast.unparse(node.func.value) == "re" and node.func.attr in PATTERNS and any(map(text, node.args)):
                found.add(ast.unparse(node))
            if isinstance(node, ast.Compare) and any(text(side) or is_class_name(side) for side in (node.left, *node.comparators)):
                found.add(ast.unparse(node))
            if isinstance(node, ast.Attribute) and node.attr == "__notes__":
                found.add(ast.unparse(node))
            if isinstance(node, ast.Constant) and node.value == "__notes__":
                found.add(ast.unparse(node))
    return found


def test_no_decision_is_taken_by_the_text_of_a_message():
    found = {(str(path.relative_to(PACKAGE)), what) for path in PACKAGE.rglob("*.py") for what in readings(ast.parse(path.read_text()))}
    assert found == set(ALLOWED)


@pytest.mark.parametrize("line", [
    "if str(error).startswith('taken'): pass", "key = str(error).removeprefix('a: ').partition(': ')[0]", "if 'lost' in str(error): pass",
    "names = re.findall('x', str(error))", "own = type(error).__name__ == 'ModelError'", "own = type(x).__name__ in ('A', 'B')",
    "if error.args[0] == 'gone': pass", "last = error.__notes__[-1]", "told = str(error)\n    if told.startswith('a'): pass",
    "has = hasattr(error, '__notes__')"])
def test_the_patterns_are_seen(line):
    assert readings(ast.parse(f"def f(error, x):\n    {line}\n"))


@pytest.mark.parametrize("line", ["raise ValueError(f'file: {error}')", "told = f'{type(error).__name__}: {error}'", "told = str(error)",
                                  "if isinstance(error, ValueError): pass", "if 'a'.startswith(x): pass"])
def test_composing_sentences_is_allowed(line):
    assert not readings(ast.parse(f"def f(error, x):\n    {line}\n"))


# -- what errors carry instead
def test_a_field_error_has_its_path_and_rule():
    error = FieldError("vector", "'x' must be a number", 2, before="force 'f': ")
    assert str(error) == "force 'f': vector[2]: 'x' must be a number"
    assert (error.path, error.field, error.rule) == (("vector", 2), "vector", "'x' must be a number")
    assert error.told == "vector[2]: 'x' must be a number"
    assert str(FieldError("rod", "already gives the mass", mark=" ")) == "rod already gives the mass"


def test_an_item_from_outside_is_told_at_its_field():
    class Weak(pl.Force):
        kind = "weak_force"
        strength: float = 1.0

        @model_validator(mode="after")
        def _check(self):
            if self.strength <= 0:
                raise FieldError("strength", f"{self.strength:g} must be greater than zero")
            return self
    try:
        with pytest.raises(TextError) as caught:
            from_text("pliant: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\nforces:\n  f:\n    kind: weak_force\n    frame: a\n"
                      "    vector: [0, 0, 1]\n    strength: -2\n")
    finally:
        del KINDS["forces"]["weak_force"]
    assert caught.value.lines == ["model:8: forces.f.strength: -2 must be greater than zero"]


def test_model_errors_name_the_item_to_correct_and_what_it_misses():
    m = pl.Model("m")
    m.add(pl.RigidBody("b", 1.0, (1, 1, 1)))
    m.add(pl.Drive("A", "angle", "t", name="motor"))
    with pytest.raises(pl.ModelError) as caught:
        m.compile()
    assert caught.value.items == ("motor", "A")
    m.items.pop("motor")
    m.add(pl.Force("f", "b", ("A.angle", 0, 0)))
    with pytest.raises(pl.ModelError) as caught:
        m.compile()
    assert caught.value.items == ("f", "A")


def test_options_and_runs_say_in_short_what_is_wrong():
    with pytest.raises(OptionError) as caught:
        chosen({"kind": "generalized-alpha", "rho": 2}, None, True)
    assert (caught.value.option, caught.value.rule) == ("rho", "2, must be from 0 to 1 (0 most damping, 1 none)")
    assert str(caught.value) == "simulate: GeneralizedAlpha: rho = 2, must be from 0 to 1 (0 most damping, 1 none)"
    stopped = pl.SimulationError.stopped(0.5, "it did not converge (step no. 7)", "Try a smaller step", "newton-failed")
    assert str(stopped) == "stopped at t = 0.5 s: it did not converge (step no. 7). Try a smaller step"
    assert (stopped.code, stopped.reason, stopped.summary) == (
        "newton-failed", "it did not converge (step no. 7)", "stopped at t = 0.5 s: it did not converge (step no. 7)")
