"""Named results: which channels a model has, their units, and their values from the states of a run."""
