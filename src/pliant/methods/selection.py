"""Which integrator and which formulation a run uses: from objects, from text, and whether the two make sense together."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ..functions.field_error import FieldError
from ..items.errors import ModelError, OptionError
from ..items.synonyms import method_meant
from .formulations.base import FORMULATIONS
from .formulations.choices import STABILIZATIONS, Index1, Recursion
from .integrators.base import Integrator
from .integrators.choices import HHT, INTEGRATORS, GeneralizedAlpha
from .method_option import MethodOption

KINDS: dict[str, Mapping[str, type[MethodOption]]] = {
    "integrator": INTEGRATORS, "formulation": FORMULATIONS, "stabilization": STABILIZATIONS}
COORDINATES = "absolute", "joint"
NEVER = GeneralizedAlpha, HHT  # taken because of a formulation alone, when there are others
RHO = 0.9, 0.8  # spectral radius of generalized-alpha with fixed steps, and with error control


def choice(what: str, value: Any) -> MethodOption:
    """From an object, a kind, or from text: ``{kind: generalized-alpha, rho: 0.9}``. ``what``: a key of KINDS."""
    kinds = KINDS[what]
    if isinstance(value, MethodOption) and type(value) in kinds.values():
        return value
    if isinstance(value, type) and issubclass(value, MethodOption):
        raise OptionError(what, f"{value.__name__} is a class; write {value.__name__}()", f"simulate: {what} ")
    given: dict[str, Any] = {"kind": value} if isinstance(value, str) else value if isinstance(value, dict) else {}
    kind = given.get("kind")
    cls = kinds.get(str(kind).replace("_", "-"))
    if cls is None:
        raise OptionError(what, f"{value!r} is not known{method_meant(str(kind), kinds)}", f"simulate: {what} ")
    known = {f.name for f in fields(cls)}
    for key in given.keys() - known - {"kind"}:
        raise OptionError(what, f"{kind}: unknown key {key!r}; there are "
                          f"{', '.join(sorted(known)) or 'none'}", f"simulate: {what} ")
    made = {k: choice(k, v) if k in KINDS and v is not None else v for k, v in given.items() if k != "kind"}
    try:
        return cls(**made)
    except FieldError as error:
        raise OptionError(error.field, error.rule, f"simulate: {error.before}{error.field}{error.mark}") from error
    except (TypeError, ValueError) as error:
        raise OptionError(what, str(error), "simulate: ") from error


def takes(method: Integrator | type[Integrator], form: MethodOption) -> bool:
    """Whether the two make sense together: by the kind of the formulation, or of the one that it is like."""
    return form.kind in method.formulations or getattr(form, "like", "") in method.formulations


def in_coordinates(settings: Mapping[str, Any]) -> Any:
    """The formulation that options ask for by their ``formulation`` and ``coordinates``; None if by neither."""
    asked, form = settings.get("coordinates"), settings.get("formulation")
    if asked is None:
        return form
    if asked not in COORDINATES:
        raise OptionError("coordinates", f"{asked!r} must be one of {', '.join(COORDINATES)}", "simulate: coordinates ")
    made = None if form is None else choice("formulation", form)
    if asked == "absolute":
        if isinstance(made, Recursion):
            raise OptionError("coordinates", "the formulation recursion is one of joint coordinates; "
                              "leave one of the two out",
                              "simulate: coordinates: ")
        return made
    if isinstance(made, Index1):
        return Recursion(made.stabilization)
    if made is not None and not isinstance(made, Recursion):
        raise OptionError("coordinates", f"the formulation {made.kind} is one of absolute coordinates; "
                          "in joint coordinates take recursion or index-1", "simulate: coordinates: ")
    return made or Recursion()


def in_joint_coordinates(formulation: Any) -> Recursion | None:
    """The formulation, if it is the one of joint coordinates."""
    made = None if formulation is None else choice("formulation", formulation)
    return made if isinstance(made, Recursion) else None


def cut_joints(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Joints that options name to be cut; none where they are wrong in some way, which `simulate` tells."""
    try:
        form = in_joint_coordinates(in_coordinates(settings))
    except ModelError:
        return ()
    return form.cut_joints if form else ()


def chosen(integrator: Any, formulation: Any, fixed: bool) -> tuple[Integrator, MethodOption]:
    """The pair of methods that a run is to use; what is not given follows from the other."""
    form = None if formulation is None else choice("formulation", formulation)
    if integrator is None:
        method: Integrator = GeneralizedAlpha(RHO[not fixed])
        if form is not None and form.kind != method.formulations[0]:
            fit = (cls for cls in INTEGRATORS.values() if takes(cls, form) and cls.controlled and cls not in NEVER)
            usual = next(fit, None)
            if usual is None:
                raise OptionError("formulation", f"give an integrator for the formulation {form.kind}", "simulate: ")
            method = usual()
    else:
        method = choice("integrator", integrator)  # type: ignore[assignment]
    if form is None:
        form = FORMULATIONS[method.formulations[0]]()
    if not takes(method, form) and form.kind == Recursion.kind:
        known = ", ".join(kind for kind, cls in INTEGRATORS.items() if takes(cls, form))
        raise OptionError("formulation", f"integrator {method.kind} makes no sense in joint coordinates; "
                          f"take one of {known}, or absolute coordinates", "simulate: ")
    if not takes(method, form):
        raise OptionError("formulation", f"{form.kind} makes no sense with integrator {method.kind}: {method.refused}",
                          "simulate: formulation ")
    return method, form
