"""Modules from outside: ``pliant --plugin my_joint.py run model.yaml`` imports what the user names, and nothing else; a
text never does. Commands that installed packages offer (entry points of the group ``pliant.commands``) are imported
when they are called."""
from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "pliant.commands"
WHOLE = 10_000  # letters of a sentence


def load_plugin(name: str) -> None:
    """Import a file (.py) or an installed module: what it defines registers itself. A file is imported once."""
    from ..text.python_files import importing, prepared
    if not name.endswith(".py"):
        try:
            import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or error.name != name.partition(".")[0]:
                raise
            raise click.UsageError(f"--plugin {name}: there is no such module; "
                                   "give an installed one, or a file with .py") from None
        return
    file, key = Path(name), f"pliant_plugin_{Path(name).stem}"
    if not file.is_file():
        raise click.UsageError(f"--plugin {name}: {'is not a file' if file.exists() else 'file not found'}")
    known = sys.modules.get(key)
    if known is not None and known.__file__ is not None and Path(known.__file__).samefile(file):
        return
    module, loader = prepared(file.absolute(), key)
    sys.modules[key] = module
    try:
        with importing(file.absolute()):
            loader.exec_module(module)
    except BaseException:
        del sys.modules[key]
        raise


@cache
def offered() -> dict[str, EntryPoint]:
    """Commands of installed packages, by name; none is imported."""
    from importlib.metadata import entry_points
    return {entry.name: entry for entry in entry_points(group=GROUP)}


class Offered(click.Command):
    """A command that is imported when it is called; the list of commands tells only whose it is."""

    def __init__(self, entry: EntryPoint) -> None:
        package = entry.dist.name if entry.dist else entry.value
        super().__init__(entry.name, short_help=f"Of the package {package}.")
        self.entry = entry

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        found = self.entry.load()
        if not isinstance(found, click.Command):
            raise click.UsageError(f"{self.name}: {self.entry.value} is not a command; "
                                   "make one by pliant.commands.base.command")
        return found.make_context(*args, **kwargs)


class Listed(click.Group):
    """A group whose help has the whole first sentence of every command."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, found.get_short_help_str(WHOLE)) for name, found in commands if found is not None and not found.hidden]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


class Commands(Listed):
    """Built-in commands, those of plugins, and those that installed packages offer."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*self.commands, *offered()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        return Offered(offered()[cmd_name]) if cmd_name in offered() else None


def plugin_option(function: Any) -> Any:
    """``--plugin``, before the command: plugins are there when the command is looked for."""
    def load(_context: click.Context, _option: click.Parameter, names: tuple[str, ...]) -> None:
        for name in names:
            load_plugin(name)
    text = ("Import a Python file or module first: its kinds of joints, forces, readers, checks and commands are known "
            "then. May be repeated.")
    return click.option("--plugin", multiple=True, metavar="FILE_OR_MODULE", is_eager=True, expose_value=False,
                        callback=load, help=text)(function)
