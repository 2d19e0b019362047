"""Convenience methods, and the functions that do their work. The one place where imports point up: ``m.check()`` is
`pliant.diagnosis.checking.check`, ``sol.plot()`` is `pliant.plot.pictures.plot`. Modules are imported when a method is called."""
from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

METHODS = {
    "Model.check": "diagnosis.checking:check",
    "Model.simulate": "simulation:simulate",
    "Model.static": "analyses.statics:static",
    "Model.path": "analyses.equilibrium_path:path",
    "Model.modes": "analyses.modes:modes",
    "Model.linearize": "analyses.transfer:linearize",
    "Model.inverse": "analyses.inverse:inverse",
    "Model.campbell": "analyses.campbell:campbell",
    "Model.joint_space": "analyses.joint_space:JointModel",
    "Model.diagram": "plot.block_diagram:diagram",
    "Model.save": "text.model_text:write",
    "Assembly.solution": "solution:of_pose",
    "Solution.stress": "results.stresses:BodyStress",
    "Solution.loads": "results.modal_loads:recorded_loads",
    "Solution.missed": "results.modal_loads:indicator",
    "Solution.missed_by_modes": "results.modal_loads:missed",
    "Solution.sizing": "results.sizing:sizing",
    "Solution.active_modes": "results.active_modes:active_modes",
    "Solution.mode_changes": "results.active_modes:mode_changes",
    "Solution.events": "results.events:events",
    "Solution.resume": "simulation:resume",
    "Solution.save": "results.results_file:save",
    "Solution.plot": "plot.pictures:plot",
    "Solution.snapshot": "plot.pictures:snapshot",
    "Solution.animate": "plot.pictures:animate",
    "Solution.render": "view.render:render",
    "Solution.view": "view.open_viewer:view",
    "Solution.to_html": "view.page:write_html",
    "Campbell.plot": "plot.campbell_figure:campbell_figure",
    "EquilibriumPath.plot": "plot.path_figure:path_figure",
    "BodyStress.plot": "plot.stress_pictures:stress_picture",
    "Segments.add": "items.beam_segments:add_segments",
}


def loaded_on_use(package: str, where: dict[str, tuple[str, ...]]) -> tuple[list[str], Callable[[str], Any]]:
    """The names of a package by the modules they are in, and its ``__getattr__``, which imports each on first use."""
    modules = {name: module for module, names in where.items() for name in names}

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}{_meant(name, modules)}")
        value = getattr(import_module(f".{modules[name]}", package), name)
        setattr(sys.modules[package], name, value)
        return value

    return list(modules), load


def _meant(name: str, known: dict[str, str]) -> str:
    """What an unknown name of the package may be meant for; nothing of names that programs ask for, such as __path__, or modules before
    they are imported."""
    if name.startswith("_") or "items.base" not in known.values() or find_spec(f"{__package__}.{name}") is not None:
        return ""
    from .items.synonyms import attribute_meant
    return attribute_meant(name, known, lambda: import_module(".items.kinds", __package__))


def work_of(method: str) -> Any:
    """The function behind a convenience method."""
    module, _, name = METHODS[method].partition(":")
    return getattr(import_module(f".{module}", __package__), name)
