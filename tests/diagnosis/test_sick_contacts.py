"""What is said of sick contacts, stops, events and masses: the item, the value, the rule and the remedy."""
import re

import pytest
import sick_contacts
import sick_limits
from cases import SICK

MINE = [case for case in SICK if case.build.__module__ in (sick_contacts.__name__, sick_limits.__name__)]
SAID = {  # case -> what is said, and what to do
    "ball_within_the_floor": (r"contact 'bounce' overlap by 10 mm where the run begins; they are pushed apart with 1e\+05 N", "further "
    "away"),
    "ball_under_the_floor": ("contact 'bounce' overlap by 250 mm", "behind the plane, whose outward normal is z of its frame"),
    "ball_outside_of_its_hole": ("contact 'hole' overlap by 160 mm", "outside of what it should be in: place it inside"),
    "ball_within_a_rigid_floor": ("overlap by 10 mm .* nothing pushes them apart", "further away"),
    "contact_between_bodies_welded_to_a_third": ("contact 'rub': fixed joints hold 'left' and 'right' together", "name the bodies that "
    "are meant"),
    "contact_given_twice": ("contacts 'bounce' and 'again' are between the same surfaces of 'ball' and 'ground': both push", "one of them "
    "out"),
    "contact_with_a_stiffness_in_newton_per_millimetre": ("13.4 mm deep, where its surface has a size of 50 mm",
                                                          r"at least 4e\+04 N/m\^1.5"),
    "ball_that_bounces_between_steps": ("lasts 1.69 ms .* fixed step of 0.001 s is 0.59 of that|gives back 0.663 of the speed",
                                        "Ask for accuracy|the law restitution"),
    "linear_contact_that_gives_back_what_it_will": ("gives back 0.665 of the speed; it lasts 2.04 ms", "gives what is asked for"),
    "rigid_contact_with_a_fixed_step": ("'bounce' is rigid, and the run has a fixed step", "Give an accuracy in place of the step"),
    "stop_outside_of_the_range": (r"stop 'end': the angle of joint 'A' is 0 rad .* beyond its upper limit of -0.1745 rad \(-10 degrees\)",
                                  "coordinates are zero in the pose as modelled"),
    "slide_beyond_its_stop": ("displacement of joint 'D' is 200 mm .* upper limit of 150 mm|redundant|determine", "Correct the "
    "limit|planar|sums"),
    "drive_beyond_a_stop": ("'motor' moves the angle of joint 'A' to -2 rad .* lower limit -1 rad .* stop 'end'", "by a force or a "
    "controller"),
    "stop_beside_limits": ("'end' and 'A.limits' have the same upper limit of joint 'A'", "Leave one of them out"),
    "event_after_the_end": ("event 'late' can never fire: its condition 't > 20' is never true; t is from 0 to 10", "make the run longer"),
    "event_that_contradicts_itself": ("its condition 'A.angle > 1 and A.angle < 0' is never true", "Correct the condition"),
    "joint_that_should_break_where_it_begins": ("'A.angle < 2' is true where the run begins; .* does not break anything", "comparison "
    "round"),
    "events_that_undo_each_other": ("events 'down' and 'up' undo each other without end", r"a hysteresis\), or by once=True or a delay"),
    "latch_that_catches_too_far_away": (r"come as near as 50 mm, but bridges 1 mm \(capture\)|hang together", "larger capture|support"),
    "lock_against_a_drive": ("joint 'A' cannot be locked: drive 'motor' moves it. Let the drive stand still, or leave one of them out", ""),
    "curve_with_a_kink": (r"joint 'wire': its curve has a kink at s = 0, \(0, 0, 0\): it turns by 90 degrees there; round the corner", ""),
    "roller_larger_than_the_hollow_of_its_cam": ("the roller of 0.1 m does not reach the bottom .* hollow with a radius of 0.032 m; take "
    "a", ""),
    "disc_above_its_floor": ("joint 'roll' is open by 30 mm as modelled", "Correct the positions"),
    "rocket_that_burns_more_than_it_has": ("the mass of body 'rocket' is 0 kg at t = 6.25 s|no joint", "End the run before|support"),
}


@pytest.mark.parametrize("case", MINE, ids=lambda case: case.name)
def test_every_finding_names_its_items_and_says_what_to_do(case):
    for found in case.build().check().findings:
        assert all(repr(item) in found.message for item in found.items), found
        assert re.search(r"\d|'.*'", found.message) and len(found.remedy) > 15 and found.remedy[0].isupper()
        assert not re.search(r"\bnan\b|np\.|None|Error:|<", found.message.replace("< ", "")), found
        if case.name in SAID:
            said, remedy = SAID[case.name]
            assert re.search(said, found.message) and re.search(remedy, found.remedy), found


def test_all_that_is_said_is_looked_at():
    assert set(SAID) <= {case.name for case in MINE}
