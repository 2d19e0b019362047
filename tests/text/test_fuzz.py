"""A short fuzz run of text models with a fixed seed; `make verify` does the long one. And the fuzzer itself: it sees what it must see."""
from __future__ import annotations

import subprocess
import sys
from random import Random

import fuzz_making
import fuzz_models
import pytest
from fuzz_models import Fault, batch, outcome

from pliant import Model
from pliant.text import cross_references
from pliant.text.yaml_lines import load_yaml, plain


def test_models_are_refused_in_sentences_or_accepted() -> None:
    """In a process of its own: the schema holds the kinds of items that other tests define."""
    command = [sys.executable, fuzz_models.__file__, "--cases", "250", "--seed", "5"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert all(word in done.stderr for word in ("reader", "assemble", "accepted", "250 models, 0 faults"))


def test_a_fault_is_told_with_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def raises(*_: object) -> None:
        raise KeyError("x")
    monkeypatch.setattr(cross_references, "problems", raises)
    _, fault, text = batch(0, 20)
    assert "KeyError" in fault and "pliant" in text


def test_the_models_it_starts_from_are_good() -> None:
    for text in fuzz_making.MODELS:
        assert outcome(text) == "accepted"
        assert outcome("", plain(load_yaml(text, "m")[0])) == "accepted"


def test_models_of_the_schema_have_all_sections() -> None:
    seen = set()
    for seed in range(500):  # kinds of forces are many; other tests may have added more
        made = fuzz_making.Maker(Random(seed), fuzz_making.SCHEMA).value(fuzz_making.SCHEMA)
        seen |= set(made)
        for section in ("bodies", "joints", "forces"):
            seen |= {item.get("kind") for item in (made.get(section) or {}).values()}
    assert {"pliant", "gravity", "ground", "bodies", "joints", "drives", "forces", "measures", "simulate"} <= seen
    assert {"revolute", "gear", "bushing", "torque"} <= seen


@pytest.mark.parametrize(("error", "message"), [
    (TypeError("x"), "TypeError"), (RecursionError("deep"), "RecursionError"), (MemoryError(), "MemoryError"),
    (ValueError("plain"), "reader: ValueError")])
def test_other_exceptions_are_faults(monkeypatch: pytest.MonkeyPatch, error: Exception, message: str) -> None:
    def raises(*_: object) -> None:
        raise error
    monkeypatch.setattr(cross_references, "problems", raises)
    with pytest.raises(Fault, match=message):
        outcome(fuzz_making.MODELS[0])


def test_foreign_words_hangs_and_missing_places_are_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = fuzz_making.MODELS[0].replace("0.36 kg", "-1")
    assert outcome(wrong) == "reader"
    monkeypatch.setattr(fuzz_models, "HANG", 0.0)
    with pytest.raises(Fault, match="took"):
        outcome(wrong)
    monkeypatch.setattr(fuzz_models, "HANG", 5.0)
    for told in (("bodies",), "got NoneType"), ((), "x" * 700):
        monkeypatch.setattr(cross_references, "problems", lambda *_, told=told: [told])
        with pytest.raises(Fault, match="not a sentence"):
            outcome(wrong)
    monkeypatch.setattr(fuzz_models.reader, "from_text", lambda *_: Model("empty"))
    assert outcome(wrong) == "compile"
