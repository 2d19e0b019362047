"""What users give as functions: units, expressions, tables, Python callables."""
