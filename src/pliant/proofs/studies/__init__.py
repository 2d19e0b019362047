"""Studies: methods compared on given models, as tables and figures."""
