"""From items to flat arrays: the compiled model, its equations made consistent, and reactions that are not unique."""
