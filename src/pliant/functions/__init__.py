"""Functions and quantities that users write: units, expressions, tables, Python callables."""
from .compile import Pool
from .expression import parse
from .function import Code, Table, compile_function
from .units import parse_unit, quantity

__all__ = ["Code", "Pool", "Table", "compile_function", "parse", "parse_unit", "quantity"]
