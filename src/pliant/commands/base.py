"""What commands are made of: every command function returns what --json prints, and the text shown otherwise. Exit codes: 0 done, 1 the
model, a file or an argument is wrong, 2 the simulation failed, 130 interrupted (143 by SIGTERM, 129 by SIGHUP)."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import click

from .plugins import Commands, plugin_option

DONE, WRONG, FAILED, INTERRUPTED = 0, 1, 2, 130
RESULTS, MODELS = (".h5", ".hdf5"), (".yaml", ".yml", ".py")


class Answer(NamedTuple):
    """Of a command: an object for --json, a text for people, and the exit code."""
    data: dict[str, Any]
    text: str
    code: int = DONE


class Stopped(Exception):
    """A simulation failed or was interrupted; ``data`` tells what was kept."""

    def __init__(self, message: str, code: int, data: dict[str, Any]) -> None:
        super().__init__(message)
        self.code, self.data = code, data


class Terminated(KeyboardInterrupt):
    """A signal that asks the program to end: handled like Ctrl-C, with the exit code that shells use for it."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.code = 128 + number


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@plugin_option
@click.version_option(package_name="pliant", prog_name="pliant")
def cli() -> None:
    """Flexible multibody dynamics: simulate models, look at results, verify."""


def command(function: Callable[..., Answer], group: click.Group = cli) -> click.Command:
    """A command with --json and --debug, which `execute` reads and the function does not see. Its name is that of the
    function."""
    both = [click.Option(["--json", "as_json"], is_flag=True, expose_value=False,
                         help="Print one JSON object and nothing else."),
            click.Option(["--debug"], is_flag=True, expose_value=False, help="Show where in the program an error arose.")]
    made = group.command(name=function.__name__.rstrip("_").replace("_", "-"))(function)
    made.params += both
    return made


MODEL = click.argument("model", type=click.Path())
RUN = click.argument("run", type=click.Path())
OUTPUT = click.option("-o", "--output", type=click.Path(dir_okay=False), help="File to write.")
DEFORMATION = click.option("--deformation", type=click.FloatRange(0, 1e6), default=1.0, show_default=True,
                           help="Of flexible bodies, drawn so many times as large; joints stay together (vtk, gltf and pictures).")
SET = click.option("--set", "changes", multiple=True, metavar="PATH=VALUE",
                   help='Change a value, such as bodies.crank.mass="2 kg".')

asked: list[KeyboardInterrupt] = []   # what signals have asked for
