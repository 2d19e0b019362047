"""How constraints enter the equations of motion: indices, projections, null spaces, penalties."""
