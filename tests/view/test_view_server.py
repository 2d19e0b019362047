"""The server of the viewer: on loopback only, for the opened runs only, and it survives files that break."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time

import mechanisms
import numpy as np
import pytest

import pliant as pl
from pliant.view.open_viewer import services
from pliant.view.packing import unpack

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
from pliant.view.server import HEADERS, Server


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs")
    mechanisms.slider_crank().simulate(0.1, step=1e-3).save(path / "run.h5")
    (path / "secret.txt").write_text("a secret")
    return path


@pytest.fixture(scope="module")
def server(folder):
    made = Server(services([str(folder / "run.h5")])).start()
    yield made
    made.stop()


def ask(server, path, method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body, answer.headers


def test_it_serves_the_page_and_the_run(server):
    status, page, headers = ask(server, "/")
    assert status == 200 and b'<meta name="pliant-runs" content="1" data-way="server">' in page
    assert {k: headers[k] for k in HEADERS} == HEADERS
    header, arrays = unpack(ask(server, "/api/0/scene")[1])
    assert header["name"] == "slider crank" and arrays["motion"].shape == (header["width"], header["rows"])
    _, some = unpack(ask(server, "/api/0/rows?first=5&last=9")[1])
    np.testing.assert_array_equal(some["motion"], arrays["motion"][:, 5:9])
    facts, angle = unpack(ask(server, "/api/0/channel?name=A.angle")[1])
    assert facts["unit"] == "rad"
    np.testing.assert_allclose(angle["values"], 10 * angle["t"], atol=1e-9)
    assert json.loads(ask(server, "/api/0/status")[1])["rows"] == header["rows"]


def test_it_is_reached_from_this_machine_only(server):
    assert server.socket.getsockname()[0] == "127.0.0.1"
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
    for address in others:
        if address.startswith("127."):
            continue
        with pytest.raises(OSError), socket.create_connection((address, server.port), timeout=1):
            pass


@pytest.mark.parametrize(
    "path",
    [
        "/secret.txt",
        "/../secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "/api/../../secret.txt",
        "/api/0/../../secret.txt",
        "/run.h5",
        "/etc/passwd",
        "//etc/passwd",
        "/api/0/..%5c..%5csecret.txt",
        "/api/%2e%2e%2fsecret.txt/scene",
        "/api/-1/scene",
        "/api/1/scene",
        "/api/0.0/scene",
        "/api/%D9%A0/scene",
        "/api/1e9/scene",
        "/api/99999999999999999999/scene",
        "/api/0/scene/x",
        "/api/0/channel?name=../../secret.txt",
        "/api/0/channel?name=",
        "/api/0/channel",
        "/api",
    ],
)
def test_nothing_else_is_served(server, path):
    status, body, _ = ask(server, path)
    assert status == 404 and b"a secret" not in body and b"root:" not in body


@pytest.mark.parametrize(
    "query",
    [
        "first=0&last=999999999999",
        "first=-1&last=5",
        "first=5&last=5",
        "first=9&last=2",
        "first=0&last=1e9",
        "first=a&last=b",
        "first=0",
        "first=" + "9" * 400 + "&last=1",
        "first=0&last=0x10",
        "first=NaN&last=inf",
    ],
)
def test_ranges_that_are_refused(server, query):
    status, body, _ = ask(server, f"/api/0/rows?{query}")
    assert status == 400 and (b"row" in body)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_methods_that_are_refused(server, method):
    assert ask(server, "/api/0/scene", method)[0] == 405
    assert ask(server, "/", method)[0] == 405


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:80"},
        {"Host": "127.0.0.1"},
        {"Host": ""},
        {"Host": "127.0.0.1.evil.example:{port}"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
def test_foreign_pages_get_nothing(server, headers):
    given = {k: v.format(port=server.port) for k, v in headers.items()}
    for path in ("/", "/api/0/scene", "/api/0/status"):
        status, body, _ = ask(server, path, **given)
        assert status == 403 and len(body) < 100, path


def test_own_requests_are_answered(server):
    own = f"127.0.0.1:{server.port}"
    assert ask(server, "/api/0/status", Host=own, Origin=f"http://{own}", Sec_Fetch_Site="same-origin")[0] == 200
    assert ask(server, "/api/0/status", Host=f"localhost:{server.port}")[0] == 200


def test_long_questions_are_refused(server):
    assert ask(server, f"/api/0/channel?name={'x' * 5000}")[0] in (400, 403, 414, 431)


def test_a_file_that_breaks_is_told(folder, tmp_path):
    """Truncated, replaced by other bytes, removed: the answer is a sentence, the server goes on."""
    path = tmp_path / "run.h5"
    path.write_bytes((folder / "run.h5").read_bytes())
    made = Server(services([str(path)])).start()
    try:
        assert ask(made, "/api/0/scene")[0] == 200
        whole = path.read_bytes()
        for broken in (whole[: len(whole) // 2], b"\x89HDF\r\n\x1a\n" + b"\0" * 500, b"no"):
            path.write_bytes(broken)
            status, body, _ = ask(made, "/api/0/rows?first=0&last=5")
            assert status == 400 and b"run.h5" in body
            assert "run.h5" in json.loads(ask(made, "/api/0/status")[1])["message"]
        path.unlink()
        status, body, _ = ask(made, "/api/0/channel?name=A.angle")
        assert status in (400, 404) and b"run.h5" in body
        assert ask(made, "/")[0] == 200
    finally:
        made.stop()


def test_a_replaced_run_is_not_mixed_with_the_first(folder, tmp_path):
    path = tmp_path / "run.h5"
    path.write_bytes((folder / "run.h5").read_bytes())
    made = Server(services([str(path)])).start()
    try:
        version = json.loads(ask(made, "/api/0/status")[1])["version"]
        mechanisms.slider_crank().simulate(0.05, step=1e-3).save(path)
        assert ask(made, "/api/0/rows?first=0&last=5")[0] == 400
        now = json.loads(ask(made, "/api/0/status")[1])
        assert now["version"] != version
        assert unpack(ask(made, "/api/0/scene")[1])[0]["rows"] == now["rows"] < 100
    finally:
        made.stop()


@pytest.mark.parametrize(
    "spoil", [lambda b: b[: len(b) // 2], lambda b: b[:1000] + b"\xff" * 50 + b[1050:], lambda b: b"", lambda b: b"text"]
)
def test_broken_files_are_refused_at_once(folder, tmp_path, spoil):
    (tmp_path / "run.h5").write_bytes(spoil((folder / "run.h5").read_bytes()))
    with pytest.raises(ValueError, match=r"run\.h5"):
        services([str(tmp_path / "run.h5")])


def test_a_link_is_followed_once(folder, tmp_path):
    """A link that is turned to another file later gives nothing of that file."""
    link = tmp_path / "run.h5"
    link.symlink_to(folder / "run.h5")
    made = Server(services([str(link)])).start()
    try:
        assert ask(made, "/api/0/scene")[0] == 200
        link.unlink()
        link.symlink_to(folder / "secret.txt")
        _status, body, _ = ask(made, "/api/0/rows?first=0&last=5")
        assert b"a secret" not in body
    finally:
        made.stop()


def test_a_port_that_is_taken_is_told(server):
    with pytest.raises(OSError, match=r"port \d+ cannot be used: .*choose another with --port"):
        Server([], server.port)


def test_the_command(folder):
    """It tells the address, serves, and ends with Ctrl-C."""
    words = [sys.executable, "-m", "pliant.cli", "view", str(folder / "run.h5"), "--no-browser"]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    try:
        line = process.stderr.readline()
        port = int(line.rpartition("127.0.0.1:")[2].split("/")[0])
        for _ in range(100):
            try:
                connection = http.client.HTTPConnection("127.0.0.1", port)
                connection.request("GET", "/api/0/status")
                assert connection.getresponse().status == 200
                break
            except OSError:
                time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
        assert "Traceback" not in process.stderr.read()
    finally:
        process.kill()


def test_commands_that_are_refused(tmp_path, capsys):
    from pliant import cli

    assert cli.execute(["view", str(tmp_path / "none.h5"), "--no-browser"]) == 1
    assert "there is no file" in capsys.readouterr().err


def test_a_run_in_python(folder):
    sol = pl.load(folder / "run.h5")
    server = sol.view(sol, browser=False)
    try:
        assert ask(server, "/api/1/scene")[0] == 200
    finally:
        server.stop()


def test_without_the_extra(monkeypatch, folder):
    monkeypatch.setitem(sys.modules, "starlette.applications", None)
    with pytest.raises(ImportError, match=r"pip install pliant\[view\]"):
        pl.load(folder / "run.h5").view(browser=False)


def test_notebooks_ask_by_messages(folder):
    from pliant.view.notebook import answer, widget

    pytest.importorskip("anywidget")
    made = services([str(folder / "run.h5")])
    shown = widget(made)
    assert 'content="1" data-way="frame"' in shown.page
    told, data = answer(made, {"run": 0, "what": "rows", "first": 0, "last": 3})
    assert not told and unpack(data)[1]["t"].shape == (3,)
    assert answer(made, {"run": 0, "what": "channel", "name": "A.angel"})[0].startswith("no channel 'A.angel'")
    assert answer(made, {"run": 7, "what": "scene"})[0]
    sent = []
    shown.send = lambda content, buffers: sent.append((content, buffers))
    shown._asked(shown, {"id": 5, "run": 0, "what": "scene"}, [])
    assert sent[0][0] == {"id": 5, "error": ""} and unpack(sent[0][1][0])[0]["name"] == "slider crank"
