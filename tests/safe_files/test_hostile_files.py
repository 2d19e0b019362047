"""Files that are wrong on purpose: a sentence that names the file, nothing large in memory, no other file read."""
import json
import os
import struct
import zlib

import h5py
import mechanisms
import numpy as np
import pytest

import pliant as pl
from pliant import cli
from pliant.methods.integrators.implicit.alpha_memory import MEMORY
from pliant.methods.integrators.time_loop.control import CONTROL
from pliant.safe_files import journal as jn


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "run.h5"
    mechanisms.slider_crank().simulate(0.05, step=1e-3, out=path)
    return path.read_bytes()


def replace(f, name, make):
    """A dataset or group in the place of another."""
    parent, _, last = name.rpartition("/")
    group = f[parent] if parent else f
    attrs = dict(group[last].attrs)
    del group[last]
    make(group, last)
    if last in group and isinstance(group.get(last, getlink=True), h5py.HardLink):
        group[last].attrs.update(attrs)


def huge(group, name):
    group.create_dataset(name, (10**11, 50), "<f8", chunks=(1024, 50))  # 40 TB, of which nothing is there


def huge_contiguous(group, name):
    space = h5py.h5s.create_simple((10**11, 50))
    plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plan.set_alloc_time(h5py.h5d.ALLOC_TIME_LATE)
    h5py.h5d.create(group.id, name.encode(), h5py.h5t.IEEE_F64LE, space, plan)


def external_link(group, name):
    group[name] = h5py.ExternalLink("secret.h5", "/states")


def external_storage(group, name):
    group.create_dataset(name, (51,) if "A.angle" in name else (51, 3), "<f8", external=[("secret.bin", 0, 51 * 24)])


def virtual(group, name):
    layout = h5py.VirtualLayout((51, 3), "<f8")
    layout[:] = h5py.VirtualSource("secret.h5", "x", (51, 3))
    group.create_virtual_dataset(name, layout)


def cyclic(group, name):
    group[name] = group.file["/"]


def compressed(group, name):
    group.create_dataset(name, data=np.zeros((10**6, 3)), compression="gzip")


def change(f, name, value):
    f.attrs[name] = value


def nan_row(f):
    states = f["states"][()]
    states[7, 5] = np.nan
    f["states"][...] = states
    import hashlib
    f.attrs["id"] = hashlib.blake2b(states.data, digest_size=16).hexdigest()


HOSTILE = {
    "no states": (lambda f: replace(f, "states", lambda g, n: None), "not of results of pliant"),
    "no energies": (lambda f: replace(f, "energies", lambda g, n: None), "'energies' is missing"),
    "no channels": (lambda f: replace(f, "channels", lambda g, n: None), "'channels' is missing"),
    "states as text": (lambda f: replace(f, "states", lambda g, n: g.create_dataset(n, data="hello")), "must hold 64-bit floats"),
    "states as integers": (lambda f: replace(f, "states", lambda g, n: g.create_dataset(n, data=np.ones((51, 90), "i8"))), "holds int64"),
    "states as records": (lambda f: replace(f, "states", lambda g, n: g.create_dataset(n, data=np.zeros(9, [("a", "f8")]))), "floats"),
    "states of references": (lambda f: replace(f, "states", lambda g, n: g.create_dataset(n, (3, 3), h5py.ref_dtype)), "64-bit floats"),
    "states in one dimension": (lambda f: replace(f, "states", lambda g, n: g.create_dataset(n, data=np.zeros(9))), "has the shape"),
    "states empty": (lambda f: replace(f, "states", lambda g, n: g.create_dataset(n, data=h5py.Empty("f8"))), "has the shape None"),
    "no rows": (lambda f: replace(f, "states", lambda g, n: g.create_dataset(n, (0, 90), "<f8")), "damaged"),
    "states a group": (lambda f: replace(f, "states", lambda g, n: g.create_group(n)), "'states' is not a dataset"),
    "memory a dataset": (lambda f: replace(f, "memory", lambda g, n: g.create_dataset(n, data=1.0)), "'memory' is not a group"),
    "a huge declared shape": (lambda f: replace(f, "states", huge), "the file has fewer"),
    "a huge shape in one piece": (lambda f: replace(f, "states", huge_contiguous), "the file has fewer"),
    "huge memory": (lambda f: replace(f, "memory/q", lambda g, n: g.create_dataset(n, (10**13,), "<f8", chunks=(1024,))), "fewer"),
    "a huge channel": (lambda f: replace(f, "channels/A.angle", lambda g, n: g.create_dataset(n, (10**13,), "<f8", chunks=(9,))), "shape"),
    "states elsewhere": (lambda f: replace(f, "states", external_link), "'states' is a link to another place"),
    "a channel elsewhere": (lambda f: replace(f, "channels/A.angle", external_link), "'A.angle' is a link"),
    "a soft link": (lambda f: replace(f, "channels/A.angle", lambda g, n: g.__setitem__(n, h5py.SoftLink("/channels/x"))), "is a link"),
    "a channel stored elsewhere": (lambda f: replace(f, "channels/A.force", external_storage), "has its numbers in another file"),
    "a virtual channel": (lambda f: replace(f, "channels/A.force", virtual), "has its numbers in another file"),
    "a group that holds itself": (lambda f: replace(f, "channels/A.force", cyclic), "'A.force' is not a dataset"),
    "compressed": (lambda f: replace(f, "channels/A.force", compressed), r"must have \(51, n\)|compressed"),
    "compressed states": (lambda f: replace(f, "states", compressed), "compressed; undo that with h5repack"),
    "other rows in a channel": (lambda f: replace(f, "channels/A.angle", lambda g, n: g.create_dataset(n, data=np.zeros(7))), "must have"),
    "five columns": (lambda f: replace(f, "channels/A.force", lambda g, n: g.create_dataset(n, data=np.zeros((51, 5)))), "5 columns"),
    "a row that is not finite": (nan_row, "row 7 has numbers that are not finite"),
    "changed states": (lambda f: f["states"].__setitem__((3, 4), 1.0), "not those that were written"),
    "a number as name": (lambda f: change(f, "name", 3.0), "attribute 'name' is not a text"),
    "a list as name": (lambda f: change(f, "name", ["a", "b"]), "neither a text nor a number"),
    "a model of numbers": (lambda f: change(f, "model", np.arange(9.0)), "attribute 'model'"),
    "a method that is no JSON": (lambda f: change(f, "method", "{"), "is damaged"),
    "an unknown method": (lambda f: change(f, "method", '{"kind": "magic"}'), "is not known"),
    "a method out of range": (lambda f: change(f, "method", '{"kind": "generalized-alpha", "rho": 7}'), "rho = 7"),
    "deep JSON": (lambda f: change(f, "quality", "[" * 20000), "is damaged"),
    "a long number": (lambda f: change(f, "quality", "9" * 20000), "is damaged"),
    "quality of texts": (lambda f: change(f, "quality", json.dumps({"steps": "many"})), "quality"),
    "quality missing": (lambda f: f.attrs.__delitem__("quality"), "quality"),
    "a step of nan": (lambda f: change(f, "step", np.nan), "attribute 'step' is not a number"),
    "a negative step": (lambda f: change(f, "step", -1.0), "step, stride or end"),
    "no stride": (lambda f: change(f, "stride", 0), "step, stride or end"),
    "others a list": (lambda f: f["channels"].attrs.__setitem__("others", "[1]"), "list of channels"),
    "no unit": (lambda f: f["channels/A.angle"].attrs.__delitem__("unit"), "'unit' is missing"),
    "a checkpoint beyond the rows": (lambda f: f["memory/rows"].__setitem__(0, 1e9), "checkpoint is not among its rows"),
    "times that go back": (lambda f: backwards(f), "times do not increase"),
    "a version of text": (lambda f: change(f, "pliant", "one"), "not of results of pliant"),
}


def backwards(f):
    import hashlib
    states = f["states"][()]
    states[9, 0] = -1.0
    f["states"][...] = states
    f.attrs["id"] = hashlib.blake2b(states.data, digest_size=16).hexdigest()


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_hdf5(kind, good, tmp_path, monkeypatch, capsys):
    """Next to a file that must not be read: `secret.h5` holds other states, and a pipe that would block for ever."""
    monkeypatch.chdir(tmp_path)
    with h5py.File("secret.h5", "w") as f:
        f["states"] = np.full((51, 90), 42.0)
    spoil, sentence = HOSTILE[kind]
    (tmp_path / "bad.h5").write_bytes(good)
    with h5py.File("bad.h5", "r+") as f:
        spoil(f)
    os.remove("secret.h5")
    os.mkfifo("secret.h5")  # to open it would hang the test
    with pytest.raises(ValueError, match=sentence) as refused:
        pl.load("bad.h5")
    assert str(refused.value).startswith("'bad.h5'") and "\n" not in str(refused.value)
    assert cli.execute(["plot", "bad.h5", "A.angle"]) == 1
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith("'bad.h5'") and "Traceback" not in said.err


@pytest.mark.parametrize(("name", "value", "sentence"), [
    ("control", np.full(len(CONTROL), 1e18), "contradicts its step and times"),
    ("control", np.zeros(len(CONTROL)), "contradicts its step"), ("control", np.zeros(3), "does not fit the model"),
    ("q", np.zeros(3), "does not fit the model"), ("lam", np.zeros(10**6), "does not fit")])
def test_a_memory_that_does_not_fit_is_not_used(name, value, sentence, good, tmp_path):
    (tmp_path / "bad.h5").write_bytes(good)
    with h5py.File(tmp_path / "bad.h5", "r+") as f:
        del f["memory"][name]
        f["memory"][name] = value
    with pytest.raises(ValueError, match=sentence):
        pl.load(tmp_path / "bad.h5").resume(0.1)


def test_switches_and_addresses_are_not_taken_from_a_file(good, tmp_path):
    """Whole numbers of the method are counts and switches; the address of a function that compiled code calls is never among them."""
    whole = np.array([CONTROL[name].kind == "i" and name != "steps" for name in CONTROL.names])
    for value in (12345678.0, -12345678.0):
        (tmp_path / "bad.h5").write_bytes(good)
        with h5py.File(tmp_path / "bad.h5", "r+") as f:
            control, own = f["memory/control"][()], f["memory/own_numbers"][()]
            f["memory/control"][...] = np.where(whole, value, control)
            f["memory/own_numbers"][...] = np.where([MEMORY[name].kind == "i" for name in MEMORY.names], value, own)
        sol = pl.load(tmp_path / "bad.h5").resume(0.05)
        assert sol.complete and np.isfinite(sol.rows).all()


@pytest.mark.parametrize("method, form", [(pl.AdamsBashforthMoulton(), pl.Index1()), (pl.BDF(), pl.StabilizedIndex2()),
                                          (pl.RungeKutta4(), pl.NullSpace())], ids=lambda x: x.kind)
def test_places_in_arrays_are_not_taken_from_a_file(method, form, tmp_path):
    """What would lead out of the memory of a method is refused in a sentence."""
    m = mechanisms.slider_crank()
    m.simulate(0.02, step=1e-4, integrator=method, formulation=form).save(tmp_path / "good.h5")
    good = (tmp_path / "good.h5").read_bytes()
    name = "chosen" if form.kind == "null-space" else "own_numbers"
    for value in (1e15, -1e15):
        (tmp_path / "bad.h5").write_bytes(good)
        with h5py.File(tmp_path / "bad.h5", "r+") as f:
            kept = f[f"memory/{name}"][()]
            f[f"memory/{name}"][...] = np.where(kept == np.round(kept), value, kept)
        with pytest.raises(ValueError, match="contradicts"):
            pl.load(tmp_path / "bad.h5").resume(0.01)


def test_pivots_beyond_the_equations_are_not_taken_from_a_file(tmp_path):
    """The list of pivots has room for coordinates too; for the null space it orders equations, and only these may be in it."""
    m = pl.Model("pendulum")
    rod = m.add(pl.RigidBody.rod("rod", start=(0, 0, 0), end=(1, 0, 0), mass=1.0))
    m.add(pl.Revolute("A", m.ground, rod["start"], axis="z"))
    m.simulate(0.02, step=1e-4, integrator=pl.RungeKutta4(), formulation=pl.NullSpace()).save(tmp_path / "bad.h5")
    with h5py.File(tmp_path / "bad.h5", "r+") as f:
        kept = f["memory/chosen"][()]
        n, equations = (int(k) for k in kept[:2])
        first, last = 3 + n + equations, 3 + n + equations + n - 1
        assert equations < n and kept[last] == n - 1
        kept[[first, last]] = kept[[last, first]]
        f["memory/chosen"][...] = kept
    with pytest.raises(ValueError, match="contradicts"):
        pl.load(tmp_path / "bad.h5").resume(0.01)


def record(kind, head, payload=b""):
    text = json.dumps(head).encode() if isinstance(head, dict) else head
    body = struct.pack("<I", len(text)) + text + payload
    return jn.PREFIX.pack(kind, len(body), zlib.crc32(body, zlib.crc32(kind))) + body


FACTS = {"name": "x", "model": "", "model_note": "", "step": 1.0, "stride": 1, "end": 1.0, "method": {"kind": "generalized-alpha"},
         "layout": {}, "record": None, "units": {}, "arrays": {}}
ROW = {"counts": {"steps": 1, "iterations": 1, "factorisations": 1, "fallbacks": 0},
       "arrays": {"states": [1, 5], "energies": [1, 3], "report": [1, 4]}}
JOURNALS = {
    "nothing": (b"", "holds no rows"),
    "a length beyond the file": (jn.PREFIX.pack(jn.ROWS, 2**63, 0), "holds no rows"),
    "a wrong checksum": (jn.PREFIX.pack(jn.ROWS, 4, 1) + b"\0" * 4, "holds no rows"),
    "rows without a head": (record(jn.ROWS, ROW, bytes(96)), "is damaged"),
    "a head that is no JSON": (record(jn.HEAD, b"\xff\xfe{"), "is damaged: a record of it cannot be read"),
    "a head beyond its record": (jn.PREFIX.pack(jn.HEAD, 4, zlib.crc32(b"\xff" * 4, zlib.crc32(jn.HEAD))) + b"\xff" * 4, "cannot be read"),
    "a head without arrays": (record(jn.HEAD, {"name": "x"}), "cannot be read"),
    "arrays larger than the record": (record(jn.HEAD, FACTS) + record(jn.ROWS, ROW | {"arrays": {"states": [10**9, 10**9]}}), "be read"),
    "a negative shape": (record(jn.HEAD, FACTS) + record(jn.ROWS, ROW | {"arrays": {"states": [-1, 5]}}), "cannot be read"),
    "a shape of texts": (record(jn.HEAD, FACTS) + record(jn.ROWS, ROW | {"arrays": {"states": "ab"}}), "cannot be read"),
    "no energies": (record(jn.HEAD, FACTS) + record(jn.ROWS, ROW | {"arrays": {"states": [1, 5]}}, bytes(40)), "'energies' is missing"),
    "no counts": (record(jn.HEAD, FACTS) + record(jn.ROWS, {"arrays": ROW["arrays"]}, bytes(96)), "'counts' is missing"),
    "a name of numbers": (record(jn.HEAD, FACTS | {"name": 7}) + record(jn.ROWS, ROW, bytes(96)), "its name, model or list"),
    "no step": (record(jn.HEAD, FACTS | {"step": None}) + record(jn.ROWS, ROW, bytes(96)), "its step, stride or end"),
    "a wrong method": (record(jn.HEAD, FACTS | {"method": 3}) + record(jn.ROWS, ROW, bytes(96)), "integrator 3 is not known"),
    "not finite": (record(jn.HEAD, FACTS) + record(jn.ROWS, ROW, np.full(12, np.nan).tobytes()), "row 0 has numbers that are not finite"),
    "deep JSON": (record(jn.HEAD, b"[" * 20000), "cannot be read"),
}


@pytest.mark.parametrize("kind", JOURNALS)
def test_hostile_journals(kind, tmp_path):
    content, sentence = JOURNALS[kind]
    (tmp_path / "bad.h5.part").write_bytes(jn.MAGIC + content)
    for name in ("bad.h5.part", "bad.h5"):
        with pytest.raises(ValueError, match=sentence) as refused:
            pl.load(tmp_path / name)
        assert "bad.h5.part" in str(refused.value)


def test_a_journal_of_the_right_form_is_read(tmp_path):
    """So that the others are refused for their own fault."""
    (tmp_path / "x.part").write_bytes(jn.MAGIC + record(jn.HEAD, FACTS) + record(jn.ROWS, ROW, bytes(96)))
    assert len(pl.load(tmp_path / "x.part").t) == 1


def test_bytes_turned_at_random(good, tmp_path):
    """HDF5 itself may crash on tables with wrong bytes: the checksum behind its end is looked at first."""
    rng, bad = np.random.default_rng(5), tmp_path / "bad.h5"
    for _ in range(100):
        data = bytearray(good)
        data[rng.integers(len(data) - 30)] ^= 1 << rng.integers(8)
        bad.write_bytes(data)
        with pytest.raises(ValueError, match=r"bad.h5' is damaged: its bytes are not those that were written; take another copy"):
            pl.load(bad)
    for cut in (1, 9, 10, len(good) // 2):
        bad.write_bytes(good[:-cut])
        if cut < len(good) // 2:
            assert pl.load(bad).complete  # only the seal is gone
        else:
            with pytest.raises(ValueError, match="is truncated"):
                pl.load(bad)
