"""The documentation: every label of a docstring is derived in docs/theory once, links resolve, snippets run."""
import ast
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")),
         *sorted((ROOT / "docs" / "theory").glob("*.md"))]
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
    theory = [page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "theory").glob("*.md")]
    written = Counter(label for text in theory for label in LABEL.findall(text))
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


PAGES_THAT_RUN = ("README.md", "docs/guide.md", "docs/control.md", "docs/drives.md", "docs/design_of_controllers.md", "docs/analyses.md",
                  "docs/contact.md", "docs/methods.md", "docs/structure.md", "docs/flexible.md", "docs/beams.md",
                  "docs/stresses.md", "docs/viewer.md")


@pytest.mark.parametrize("page", PAGES_THAT_RUN)
def test_snippets_run(page, tmp_path, monkeypatch):
    """Python snippets in order in one namespace; they may write files. Text models compile."""
    from pliant.text.model_text import from_text
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / page).read_text(encoding="utf-8")
    namespace = {"__name__": "snippets"}
    for found in FENCE.finditer(text):
        language, body = found[1], found[2]
        if language == "python":
            lines_before = "\n" * text[:found.start(2)].count("\n")  # so that errors show the line of the page
            exec(compile(lines_before + body, page, "exec"), namespace)
        elif language == "yaml" and "pliant: 1" in body and "reduce:" in body:
            from pliant.text.part_files import read_part
            (tmp_path / "part.yaml").write_text(body)
            read_part(tmp_path / "part.yaml")[1]()
        elif language == "yaml" and "pliant: 1" in body:
            from_text(body, page).compile()


def test_snippets_of_extensions_are_those_that_are_tested():
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "support" / "outsider").glob("*.py")]
    tested = {line.strip() for text in texts for line in text.splitlines()}
    for found in FENCE.finditer((ROOT / "docs" / "extending.md").read_text(encoding="utf-8")):
        if found[1] == "python":
            for line in found[2].splitlines():
                assert line.strip() in tested or line.startswith("from pliant"), line


def test_every_code_has_its_section_and_its_example_is_what_check_says():
    import healthy  # noqa: F401 - fills HEALTHY
    import sick  # noqa: F401 - fills SICK
    import sick_bodies  # noqa: F401
    import sick_contacts  # noqa: F401
    import sick_limits  # noqa: F401
    from cases import HEALTHY, SICK

    from pliant.diagnosis import CODES, FAULTS
    text = (ROOT / "docs" / "when_it_does_not_run.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^### (\S+)\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL))
    assert len(re.findall(r"^### ", text, re.MULTILINE)) == len(sections)
    assert set(sections) == {*CODES, *FAULTS} and not CODES.keys() & FAULTS.keys()
    told: dict[str, list[str]] = {}
    for case in (*SICK, *HEALTHY):
        for finding in case.build().check().findings:
            told.setdefault(finding.code, []).append(finding.message)
    for code in CODES:
        examples = re.findall(r"^> (.*)$", sections[code], re.MULTILINE)
        assert examples or code == "rank-not-analysed", code
        for example in examples:
            assert any(message.startswith(example.rstrip(".")) for message in told[code]), example
