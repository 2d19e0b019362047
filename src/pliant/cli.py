"""The command line: ``pliant run model.yaml``."""
from __future__ import annotations

import json
import os
import pkgutil
import signal
import sys
import threading
import traceback
import warnings
from importlib import import_module
from typing import Any

import click

from . import commands
from .commands.base import DONE, FAILED, INTERRUPTED, WRONG, Answer, Stopped, Terminated, asked, cli
from .functions.printable import printable
from .items.errors import ModelError, raised_in
from .report.json_values import json_value

for found in pkgutil.iter_modules(commands.__path__):  # all modules of the folder: their commands register themselves
    import_module(f"{commands.__name__}.{found.name}")


def main(args: list[str] | None = None) -> None:
    """The console script."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if signal.getsignal(getattr(signal, name, signal.SIGTERM)) in (signal.SIG_DFL, signal.default_int_handler):  # not under nohup
            signal.signal(getattr(signal, name, signal.SIGTERM), _terminate)
    sys.unraisablehook = _not_raised
    sys.exit(execute(sys.argv[1:] if args is None else args))


missed: list[KeyboardInterrupt] = []  # what could not be raised where it came


def _terminate(number: int, _frame: Any) -> None:
    asked.append(Terminated(number))
    raise asked[-1]


def _not_raised(what: Any) -> None:
    """An interrupt that came where Python cannot raise it, as when an object is deleted: it comes again a little later."""
    if isinstance(what.exc_value, KeyboardInterrupt):
        missed.append(what.exc_value)
        number = getattr(what.exc_value, "code", INTERRUPTED) - 128
        threading.Timer(0.02, os.kill, (os.getpid(), number)).start()
    else:
        sys.__unraisablehook__(what)


def _say(message: Warning | str, *where: Any, **more: Any) -> None:
    """A warning as a sentence, without the place in the program."""
    click.echo(printable(str(message)), err=True)


def execute(args: list[str]) -> int:
    """Run one command line; returns the exit code."""
    as_json, debug = "--json" in args, "--debug" in args
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _say
            answer = cli.main(args or ["--help"], prog_name="pliant", standalone_mode=False)
        if isinstance(answer, Answer):
            _print(json.dumps(json_value(answer.data), allow_nan=False) if as_json else answer.text)
            return answer.code
        return answer if isinstance(answer, int) else DONE  # --help and --version
    except BrokenPipeError:
        sys.stderr.close()  # the reader of a pipe left: no message at exit
        return DONE
    except (KeyboardInterrupt, Exception) as error:
        for number in (signal.SIGINT, signal.SIGTERM) if missed else ():  # one that comes again is not needed any more
            signal.signal(number, signal.SIG_IGN)
        code, kind, message, data = explain(error if isinstance(error, Stopped) or not missed else missed[0])
        if debug:
            traceback.print_exc()
        if as_json:
            _print(json.dumps(json_value({"error": {"kind": kind, "message": message}, **data}), allow_nan=False))
        else:
            click.echo(printable(message), err=True)
        return code


def explain(error: BaseException) -> tuple[int, str, str, dict[str, Any]]:
    """Exit code, kind, message and further facts of an error."""
    if isinstance(error, Stopped):
        return error.code, "simulation" if error.code == FAILED else "interrupted", str(error), error.data
    if isinstance(error, click.Abort) and error.__cause__ is not None:  # click's word for an interrupt
        error = error.__cause__
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return getattr(error, "code", INTERRUPTED), "interrupted", "interrupted", {}
    if isinstance(error, click.ClickException):
        hint = f"\nSee {error.ctx.command_path} --help" if isinstance(error, click.UsageError) and error.ctx else ""
        return WRONG, "arguments", error.format_message() + hint, {}
    return WRONG, *_explain_fault(error)


def _explain_fault(error: BaseException) -> tuple[str, str, dict[str, Any]]:
    """Kind, message and further facts of what is wrong with a model, a file or the program."""
    lines = getattr(error, "lines", None)
    data = {"problems": lines} if isinstance(lines, list) else {}
    if where := raised_in(error):  # by a function of the model at the start
        told = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
        return "model", f"{type(error).__name__}: {told} - raised {where}", data
    if isinstance(error, KeyError):
        return "name", str(error.args[0]) if error.args else "unknown name", data
    if isinstance(error, (ValueError, OSError, ImportError)):
        kind = "model" if isinstance(error, ModelError) else "file" if isinstance(error, OSError) else "input"
        if isinstance(error, OSError) and error.strerror and error.filename:  # the system's words, not a sentence of this program
            return kind, f"cannot use {str(error.filename)!r}: {error.strerror}", data
        return kind, str(error), data
    told = f"unexpected {type(error).__name__}: {error}; this is a fault of the program, --debug shows where"
    return "program", told, data


def _print(text: str) -> None:
    click.echo(printable(text))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
