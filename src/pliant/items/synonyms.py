"""Usual words of engineers and of other programs for the kinds here: what is suggested where a word is not known."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from .base import KINDS
from .names import did_you_mean, near_miss
from .shapes import MAKERS

NEAR = 0.8  # so much alike a word is rather misspelled than one of another section
# section of what is meant -> its kind -> words for it, with _ for blanks and hyphens
WORDS: dict[str, dict[str, str]] = {
    "bodies": {
        "rigid": "rigid_body body part solid link mass lump",
        "modal": "flexible flexible_body flex elastic deformable shell fe fem finite_element superelement craig_bampton reduced "
                 "modal_body"},
    "joints": {
        "fixed": "weld welded lock locked rigid_joint clamp clamped bolt bolted glue bracket bracket_joint fix attach",
        "revolute": "hinge pin pivot rotary rotational rotation bearing axle turning knee",
        "spherical": "ball socket ball_and_socket ball_socket sphere gimbal",
        "universal": "cardan hooke hookes u_joint gimbal_joint cross",
        "prismatic": "slider slide sliding translational translation linear rail telescope piston guide",
        "cylindrical": "cylinder_joint sleeve",
        "planar": "plane flat plane_joint",
        "screw": "helical helix lead_screw thread spindle nut",
        "distance": "rod massless_rod massless_link tie bar rigid_link rigid_rod",
        "point_on_line": "slot inline in_line point_line",
        "cam": "cam_follower camshaft tappet", "curve_on_curve": "curve_curve curve_to_curve cam_pair",
        "point_on_curve": "point_curve curve track wire bead rail_curve roller_coaster",
        "point_on_plane": "inplane in_plane point_plane point_in_plane",
        "gear": "gears gearbox gear_pair belt chain pulley transmission",
        "rack_pinion": "rack pinion rack_and_pinion",
        "sliding_on_beam": "slide_on_beam beam_slider sliding_joint"},
    "drives": {"drive": "motor motion actuator servo driver driven prescribed_motion rheonomic"},
    "forces": {
        "spring_damper": "spring damper dashpot linear_spring coil coil_spring shock shock_absorber suspension strut tsda "
                         "translational_spring",
        "torsion_spring": "torsional_spring rotational_spring rotary_spring torsion torsion_bar torsional_damper rotational_damper "
                          "rotary_damper rsda hinge_spring",
        "axial_spring": "joint_spring sliding_spring",
        "bushing": "bush mount rubber elastomer rubber_mount beam_force six_dof_spring stiffness_matrix",
        "distributed_load": "distributed pressure wind wind_load surface_load body_force hydrostatic hydrostatic_pressure area_load "
                            "modal_force modal_load",
        "line_load": "line uniform_load linear_load load_per_length",
        "contact": "collision collide contact_force solid_contact hertz touch touching bounce penalty",
        "revolute_clearance": "clearance clearance_joint journal journal_bearing",
        "joint_friction": "friction dry_friction coulomb coulomb_friction stiction",
        "stop": "end_stop endstop joint_limit joint_limits bistop impact bumper buffer hard_stop limit_stop",
        "mass_flow": "rocket tank propellant variable_mass thruster exhaust mass_change",
        "force": "load point_load thrust point_force nodal_force",
        "torque": "moment couple point_moment point_torque"},
    "measures": {"measure": "gauge marker probe output request"},
    "blocks": {
        "integral": "integrator", "low_pass": "filter lowpass first_order lag pt1", "second_order": "pt2", "notch": "band_stop",
        "washout": "high_pass highpass", "transfer_function": "tf laplace", "state_space": "ss", "pid": "pi pd regulator",
        "saturation": "limit limiter", "rate_limit": "slew slew_rate rate_limiter", "dead_band": "dead_zone", "backlash": "play gap",
        "quantize": "quantizer adc",
        "sample": "zero_order_hold zoh sampler sample_hold", "unit_delay": "z_inverse memory", "delay": "dead_time transport_delay",
        "relay": "hysteresis two_point_controller thermostat", "noise": "random white_noise", "event": "when trigger",
        "state_machine": "fsm statechart automaton", "discrete": "discrete_state mode", "controller": "python_controller",
        "input": "inport free_input"},
}
# keys of a text -> other words for them
SECTIONS = {
    "bodies": "body parts part links members", "joints": "joint constraints constraint connections hinges",
    "drives": "drive motors motor motions actuators actuator",
    "forces": "force loads load springs spring dampers torques distributed_loads line_loads pressures",
    "measures": "measure requests outputs", "blocks": "block control controllers sensors events signals",
    "variables": "variable expressions", "parameters": "parameter constants params",
    "tables": "table splines curves maps", "include": "includes assemblies sub_assemblies subassemblies subsystems",
    "simulate": "simulation solver run integrator"}
# other names of Python: what is meant, without pl.
PYTHON = {
    "load_model": "read", "open": "read", "read_model": "read", "from_yaml": "read", "read_results": "load", "simulate": "Model.simulate",
    "run": "Model.simulate", "check": "Model.check", "static": "Model.static", "modes": "Model.modes", "ground": "Model.ground",
    "arc_length": "Model.path", "riks": "Model.path", "buckling": "Model.path",
    "system": "Model", "world": "Model", "assembly": "Model", "point_mass": "RigidBody.point_mass", "box": "RigidBody.box",
    "cylinder": "RigidBody.cylinder", "sphere": "RigidBody.sphere", "rod": "RigidBody.rod", "beam": "Beam", "spline": "Table",
    "curve": "Table", "lookup": "Table", "interpolation": "Table", "quaternion": "rotation", "rot": "rotation", "euler": "rotation",
    "rk4": "RungeKutta4", "rk45": "DormandPrince54", "dopri5": "DormandPrince54", "ode45": "DormandPrince54", "radau": "RadauIIA5",
    "gear_bdf": "BDF", "gstiff": "BDF", "ode15s": "BDF", "adams": "AdamsBashforthMoulton", "abm": "AdamsBashforthMoulton",
    "verlet": "CentralDifferences", "leapfrog": "CentralDifferences", "sundials": "IDA",
}
# fields -> other words for them
FIELDS = {
    "friction": "mu mu_k mud mu_dynamic dynamic_friction kinetic_friction sliding_friction friction_coefficient coefficient_of_friction",
    "static": "mus mu_s mu_static static_friction static_coefficient stiction",
    "stribeck_speed": "vs stribeck_velocity stiction_transition_velocity",
    "slip_speed": "friction_transition_velocity vd regularisation_speed",
    "restitution": "e cor coefficient_of_restitution restitution_coefficient bounce bounciness",
    "tangential_restitution": "et",
    "stiffness": "k kn contact_stiffness",
    "damping": "c max_damping cmax",
    "exponent": "p n force_exponent",
    "ramp": "penetration max_penetration penetration_depth depth dmax",
    "material": "e_modulus young youngs_modulus",
    "coefficient": "mu friction mu_k friction_coefficient",
    "lower": "min minimum low lower_limit",
    "upper": "max maximum high upper_limit",
    "clearance": "gap radial_clearance play",
    "radius": "r diameter",
}
# fields that have words -> other words for these, and what is said of them
VALUES = {
    "law": {
        "hertz hertzian": "the law restitution is that of Hertz with exponent 1.5, and with a material in place of stiffness",
        "kelvin_voigt kelvin voigt spring_damper spring": "did you mean 'linear'?",
        "elastic": "the law restitution with restitution=1 is elastic",
        "bistop impact_function adams": "did you mean 'impact'?",
        "hard newton poisson moreau lcp nsc nonsmooth": "did you mean 'rigid'?",
        "coulomb dry": "friction is a field of its own, beside a law",
        "soft penalty compliant": "did you mean 'restitution'?",
        "hunt crossley": "did you mean 'hunt-crossley'?",
        "lankarani nikravesh": "did you mean 'lankarani-nikravesh'?"},
    "friction_model": {
        "coulomb dry stick_slip stiction dahl": "dry friction that sticks is 'bristle'",
        "none off": "leave friction out instead",
        "smooth tanh viscous regularized": "did you mean 'regularised'?"},
    "kind": {
        "ball": "did you mean 'sphere'?",
        "cube block cuboid": "did you mean 'box'?",
        "floor wall ground flat": "did you mean 'plane'?",
        "hole socket": "did you mean 'bore' or 'hollow_sphere'?",
        "line wire rail pipe": "did you mean 'tube', about a line of a flexible body?",
        "pill rod": "did you mean 'capsule'?",
        "mesh hull polyhedron stl": "did you mean 'convex', with points?"},
    "follower": {
        "mushroom plate face": "did you mean 'flat'?",
        "point edge": "did you mean 'knife'?",
        "wheel round": "did you mean 'roller'?"},
}
METHODS = {
    "rk4": "runge-kutta-4", "runge-kutta": "runge-kutta-4", "rk45": "dormand-prince-54", "dopri5": "dormand-prince-54",
    "ode45": "dormand-prince-54", "dopri853": "dop853", "rk8": "dop853", "ode15s": "bdf", "gear": "bdf", "gstiff": "bdf", "wstiff": "bdf",
    "adams": "adams-bashforth-moulton", "abm": "adams-bashforth-moulton", "ode113": "adams-bashforth-moulton",
    "gen-alpha": "generalized-alpha", "alpha": "generalized-alpha", "chung-hulbert": "generalized-alpha",
    "hilber-hughes-taylor": "hht", "verlet": "central-differences", "leapfrog": "central-differences", "explicit": "central-differences",
    "sundials": "ida", "ggl": "stabilized-index-2", "si2": "stabilized-index-2", "gear-gupta-leimkuhler": "stabilized-index-2",
    "index3": "index-3", "index1": "index-1",
    "featherstone": "recursion", "joint-coordinates": "recursion", "joint": "recursion", "minimal": "recursion",
}


def plain_word(word: str) -> str:
    """Small letters, with _ for blanks and hyphens."""
    return word.strip().lower().replace("-", "_").replace(" ", "_")


def of_kind(word: str, section: str = "") -> tuple[str, str] | None:
    """Section and kind that a usual word stands for, rather one of this section; None if it is not known."""
    plain = plain_word(word)
    found = [(where, kind) for where, kinds in WORDS.items() for kind, words in kinds.items()
             for known in (words.split(),) if plain in known or plain.removesuffix("_joint") in known]
    found = [(where, kind) for where, kind in found if kind in KINDS[where]]
    return min(found, key=lambda pair: pair[0] != section) if found else None


def kind_meant(word: str, section: str) -> str:
    """The end of a message about an unknown kind of this section: what may be meant, and where it stands."""
    kind, known = plain_word(word), KINDS[section]
    if kind in known:
        return f"; did you mean {kind!r}?"
    elsewhere = next((where for where in KINDS if kind in KINDS[where]), None)
    if elsewhere:
        return f"; a {kind} stands under {elsewhere}"
    meant = of_kind(word, section)
    if meant and meant[0] == section:
        return f"; did you mean {meant[1]!r}?"
    if kind in MAKERS:
        return f"; a {kind} is a rigid body: write {kind}: {{...}} instead of kind" + ("" if section == "bodies" else ", under bodies")
    if meant and not near_miss(kind, known, NEAR):
        return f"; did you mean {meant[1]!r}, which stands under {meant[0]}?"
    return did_you_mean(kind, known)


def field_meant(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown key of an item: a field by another name, or a near miss."""
    plain, fields = plain_word(word), list(known)
    meant = next((field for field, words in FIELDS.items() if field in fields and plain in words.split()), "")
    return f"; did you mean {meant!r}?" if meant else did_you_mean(word, fields)


def value_meant(word: str, path: Sequence[object], known: str) -> str:
    """The end of a message about a word that is none of those that a field may have, listed in a text; empty if nothing is known of it."""
    plain = plain_word(word)
    if (same := repr(plain.replace("_", "-"))) in known or (same := repr(plain)) in known:
        return f"; did you mean {same}?"
    found = (told for words, told in VALUES.get(str(path[-1]) if path else "", {}).items() if plain in words.split())
    return next((f"; {told}" for told in found), "")


def key_meant(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown key of a text: a section by another name, or a near miss."""
    plain = plain_word(word)
    if plain in ("group", "groups"):
        return "; groups stand under measures, such as {moving: {kind: group, bodies: [crank, rod]}}"
    meant = next((key for key, words in SECTIONS.items() if plain in words.split()), "")
    return f"; did you mean {meant!r}?" if meant else did_you_mean(word, known)


def method_meant(word: str, known: Mapping[str, object]) -> str:
    """The end of a message about an unknown method."""
    meant = METHODS.get(plain_word(word).replace("_", "-"), "")
    return f"; did you mean {meant!r}?" if meant in known else did_you_mean(word.replace("_", "-").lower(), known)


def attribute_meant(word: str, known: Iterable[str], kinds: Callable[[], object]) -> str:
    """The end of a message about an unknown attribute of the package: a class of the kind that the word stands for, or a near miss.
    ``kinds``: fills the list of kinds."""
    kinds()
    plain, names = "".join(f"_{c.lower()}" if c.isupper() else c for c in word).strip("_"), list(known)
    meant = of_kind(plain) or of_kind(word)
    if meant:
        name = KINDS[meant[0]][meant[1]].__name__
        return f"; did you mean pl.{name}?" if name in names else ""
    if other := PYTHON.get(plain) or PYTHON.get(word.lower()):
        return f"; did you mean {'m' + other.removeprefix('Model') if other.startswith('Model.') else 'pl.' + other}?"
    near = near_miss(word, names)
    return near.replace("'", "").replace("did you mean ", "did you mean pl.") if near else ""
