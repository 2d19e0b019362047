"""How a run is computed: formulations, integrators, and which of them suit a model."""
