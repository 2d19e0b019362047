"""Element families: the equations of bodies, joints, springs and loads, each a few compiled functions of one signature."""
