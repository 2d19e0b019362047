"""Joint coordinates: the tree of the joints, accelerations by recursion, and loops that are cut and closed."""
