"""The server of ``pliant view``: on this machine only, for the runs that were opened and nothing else. Needs the extra ``view``.

Runs have numbers, so that no path is ever asked for. Requests from other machines cannot arrive; those that a foreign page in the same
browser makes are refused by their Host and Origin.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from .page import page_for
from .service import Service

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

HOST = "127.0.0.1"
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}
LONGEST = 2000  # letters of a question


def needed() -> Any:
    try:
        import starlette.applications
        import uvicorn
    except ImportError:
        raise ImportError(
            "the viewer's server needs two packages: pip install pliant[view]; or write a page, "
            "sol.to_html('run.html') or 'pliant export RUN --to html'"
        ) from None
    return starlette.applications, uvicorn


def refused(request: Request, own: set[str]) -> str:
    """Why a request is not answered; ``own``: the names of this server."""
    if len(str(request.url)) > LONGEST:
        return "the question is too long"
    if request.headers.get("host", "") not in own:
        return "this server answers to its own address only"
    origin = request.headers.get("origin")
    if origin is not None and origin not in {f"http://{name}" for name in own}:
        return "requests from other pages are not answered"
    if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return "requests from other pages are not answered"
    return ""


def guarded(answer: Callable[[Request], Awaitable[Response]], own: set[str]) -> Callable[[Request], Awaitable[Response]]:
    """An answer that is given to the own page only, and that tells what went wrong."""
    from starlette.responses import PlainTextResponse

    async def guard(request: Request) -> Response:
        why = refused(request, own)
        try:
            response = PlainTextResponse(why, 403) if why else await answer(request)
        except (KeyError, ValueError, OSError) as error:
            told = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
            response = PlainTextResponse(told, 404 if isinstance(error, (KeyError, FileNotFoundError)) else 400)
        except Exception as error:  # a file that became unreadable: the page shows it
            response = PlainTextResponse(f"unexpected {type(error).__name__}: {error}", 500)
        response.headers.update(HEADERS)
        return response

    return guard


def application(services: list[Service], port: int) -> Any:
    """An ASGI application for some runs, which answers at this port only."""
    applications, _ = needed()
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route

    own = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}

    def service(request: Request) -> Service:
        number = request.path_params["number"]
        if not number.isascii() or not number.isdigit() or len(number) > 6 or int(number) >= len(services):
            raise KeyError(f"there is no run {number[:20]!r}")
        return services[int(number)]

    async def page(request: Request) -> Response:
        return Response(page_for(len(services), "server"), media_type="text/html; charset=utf-8")

    async def scene(request: Request) -> Response:
        return _bytes(await run_in_threadpool(service(request).scene))

    async def rows(request: Request) -> Response:
        asked = {"step": "1", **request.query_params}
        first, last, step = (_whole(asked.get(k)) for k in ("first", "last", "step"))
        return _bytes(await run_in_threadpool(partial(service(request).rows, first, last, step)))

    async def channel(request: Request) -> Response:
        asked = {"name": "", "step": "0", **request.query_params}
        return _bytes(await run_in_threadpool(partial(service(request).channel, asked["name"], _whole(asked["step"]))))

    async def events(request: Request) -> Response:
        return _bytes(await run_in_threadpool(service(request).events))

    async def status(request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(service(request).status))

    def _bytes(data: bytes) -> Response:
        return Response(data, media_type="application/octet-stream")

    routes = [
        Route(path, guarded(answer, own), methods=["GET"])
        for path, answer in (
            ("/", page),
            ("/api/{number}/scene", scene),
            ("/api/{number}/rows", rows),
            ("/api/{number}/channel", channel),
            ("/api/{number}/events", events),
            ("/api/{number}/status", status),
        )
    ]
    return applications.Starlette(routes=routes)


def _whole(text: str | None) -> int:
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 15:
        raise ValueError(f"{(text or '')[:20]!r} is not the number of a row")
    return int(text)


class Server:
    """Serves until it is stopped; ``url`` is where."""

    def __init__(self, services: list[Service], port: int = 0) -> None:
        _, uvicorn = needed()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self.socket.bind((HOST, port))
        except OSError as error:
            self.socket.close()
            raise OSError(f"port {port} cannot be used: {error.strerror}; choose another with --port") from None
        self.port = int(self.socket.getsockname()[1])
        self.url = f"http://{HOST}:{self.port}/"
        settings = uvicorn.Config(
            application(services, self.port), log_level="critical", access_log=False, server_header=False, lifespan="off"
        )
        self.server = uvicorn.Server(settings)
        self.server.install_signal_handlers = lambda: None
        self.services = services
        for service in services:
            service.prepare()

    def __repr__(self) -> str:
        return f"Server({self.url!r})"

    def run(self) -> None:
        """Until Ctrl-C."""
        try:
            self.server.run(sockets=[self.socket])
        finally:
            self.socket.close()

    def start(self) -> Server:
        """In a thread of its own."""
        thread = threading.Thread(target=self.run, daemon=True)
        thread.start()
        while not self.server.started and thread.is_alive():
            thread.join(0.01)
        return self

    def stop(self) -> None:
        self.server.should_exit = True
