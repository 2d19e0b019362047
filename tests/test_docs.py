"""The documentation: every label of a docstring is derived in docs/theory once, links resolve, snippets run."""
import ast
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs" / "theory").glob("*.md"))]
NAMES = [str(p.relative_to(ROOT)) for p in PAGES]
LABEL = re.compile(r"\[([a-z][a-z0-9]*-[0-9]+)\]")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def docstring_labels():
    """Labels in square brackets in the docstrings of the package."""
    found = set()
    for path in (ROOT / "src" / "pliant").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                found |= set(LABEL.findall(ast.get_docstring(node) or ""))
    return found


def without_code_and_math(text):
    text = FENCE.sub("", text)
    text = re.sub(r"\$\$.*?\$\$", "", text, flags=re.DOTALL)
    return re.sub(r"`[^`\n]*`|\$[^$\n]*\$", "", text)


def anchors(path):
    """Of the headings of a page, as made by common Markdown renderers."""
    heads = re.findall(r"^#+ (.*)$", FENCE.sub("", path.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in heads}


def test_every_label_is_derived_once():
    written = Counter(label for page in (ROOT / "docs" / "theory").glob("*.md") for label in LABEL.findall(page.read_text(encoding="utf-8")))
    labels = docstring_labels()
    assert len(labels) > 40
    assert {label: written[label] for label in labels if written[label] != 1} == {}
    assert set(written) <= labels


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_resolve(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code_and_math(page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        linked = (page.parent / file).resolve() if file else page
        assert linked.exists(), target
        assert not anchor or anchor in anchors(linked), target


@pytest.mark.parametrize("page", ["README.md", "docs/guide.md", "docs/extending.md"])
def test_snippets_run(page, tmp_path, monkeypatch):
    """Python snippets in order in one namespace; they may write files. A kernel needs a file to be read from."""
    from pliant.text import from_text
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / page).read_text(encoding="utf-8")
    namespace = {"__name__": "snippets"}
    for number, found in enumerate(FENCE.finditer(text)):
        language, body = found[1], found[2]
        if language == "python":
            file = tmp_path / f"snippet{number}.py"
            line = text[:found.start(2)].count("\n")
            file.write_text("\n" * line + body, encoding="utf-8")
            exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), namespace)
        elif language == "yaml" and "pliant: 1" in body:
            from_text(body, f"{page}").compile()
