"""The diagnosis of models: what is wrong, redundant or doubtful, in the model's own words, before anything runs."""
from ..compile.vibration import highest_frequency
from ..report.finding import Finding
from .checking import check, load_checks
from .findings import FAULTS, Report
from .registry import CODES

load_checks()
__all__ = ["CODES", "FAULTS", "Finding", "Report", "check", "highest_frequency"]
