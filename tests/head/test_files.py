"""Files: those that can be read, and a sentence for each that cannot."""

import os
import socket
import subprocess
import sys
import time
import tracemalloc
import zipfile

import damaged_files
import numpy as np
import pytest
from head_rows import quietly

from attention_separation import head
from attention_separation.__main__ import main
from attention_separation.head import files
from attention_separation.head.files import read

S = damaged_files.S


def written(folder, name, data):
    path = folder / name.replace("/", "_")
    path.write_bytes(data)
    return path


def answer(path, capsys, *words):
    """The exit status of the command, what it prints and what it says."""
    status = main(["head", str(path), "--target", "3", *words])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def assert_one_sentence(path, status, out, err):
    """A user's fault, on one line that names the file and gives no advice of NumPy's."""
    assert status == 1, path.name
    assert out == ""
    assert err.startswith(f"head: {path}")
    assert err.count("\n") == 1
    for word in ("pickle", "allow_", "Traceback", "max_header_size", "literal", "unsafe"):
        assert word not in err.replace(path.name, ""), err


ODD = damaged_files.odd_npy() | damaged_files.odd_npz() | damaged_files.odd_safetensors()


@pytest.mark.parametrize("name", ODD)
def test_an_odd_file_is_one_sentence_that_says_what_can_be_read(tmp_path, capsys, name):
    path = written(tmp_path, name, ODD[name])
    status, out, err = answer(path, capsys)
    assert_one_sentence(path, status, out, err)
    # Some are read, and have nothing that can be measured.
    if "scores have shape" not in err and "every row has fewer" not in err:
        assert files.READABLE in err


@pytest.mark.parametrize("name", damaged_files.good())
def test_cut_files_are_one_sentence(tmp_path, capsys, name):
    whole = damaged_files.good()[name]
    for cut_name, data in damaged_files.cut(stride=37).items():
        if cut_name.endswith(f" of {name}"):
            path = written(tmp_path, cut_name, data)
            assert_one_sentence(path, *answer(path, capsys))
    assert answer(written(tmp_path, name, whole), capsys, "--use", "scores")[0] == 0


def test_changed_bits_are_one_sentence_or_an_answer(tmp_path, capsys):
    """A bit of a number of an .npy or of safetensors changes that number, and nothing notices."""
    answered = 0
    for name, data in damaged_files.flipped(count=45, seed=1).items():
        path = written(tmp_path, name, data)
        status, out, err = answer(path, capsys, "--use", "scores", "mask")
        if status == 0:
            answered += 1
            assert out
        else:
            assert_one_sentence(path, status, out, err)
    assert answered < 135  # of 180


@pytest.mark.parametrize("kind", ["folder", "pipe", "device", "socket", "loop", "none", "secret"])
def test_what_is_no_file_is_refused_at_once(tmp_path, capsys, kind):
    path = tmp_path / f"{kind}.npz"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "socket":
        server = socket.socket(socket.AF_UNIX)
        server.bind(os.path.relpath(path))
        server.close()
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "secret":
        path.write_bytes(b"x")
        path.chmod(0)
    begin = time.monotonic()
    status, out, err = answer(path, capsys)
    assert time.monotonic() - begin < 5
    assert_one_sentence(path, status, out, err)
    assert files.READABLE in err
    if kind in ("folder", "pipe", "device", "socket"):
        assert f"it is a {kind}, no file" in err


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.pt", "a", "a.npy.gz"])
def test_other_names_say_which_are_read(tmp_path, capsys, name):
    path = written(tmp_path, name, b"1 2 3\n")
    status, out, err = answer(path, capsys)
    assert_one_sentence(path, status, out, err)
    assert "allowed: .npy, .npz and .safetensors" in err


def sparse(path, start, size):
    """A file that begins with some bytes, and ends in a hole of the disk."""
    path.write_bytes(start)
    os.truncate(path, size)
    return path


HUGE = 2**38
"""Bytes, of files that are holes."""


def bombs():
    """Files of any size that would take time or memory if they were believed: a name, first bytes,
    and the size of the file, None where these are all."""
    header = damaged_files.npy_of(damaged_files.header_of(f"(1, {HUGE})", "'|u1'"))
    text = b'{"x":1,' + b'"y":1,' * 4_000_000 + b'"z":1}'
    chunks = [header, *[bytes(2**20)] * 64]
    q = np.zeros((1, 10**6, 1), np.float32)
    return [
        ("huge.npy", header, None),
        ("one long row.npy", header, len(header) + HUGE),
        ("long header.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\x7f", HUGE),
        ("hole.npy", b"\x93NUMPY\x01\x00", HUGE),
        ("nothing.npy", b"", HUGE),
        ("hole.npz", b"PK\x03\x04", HUGE),
        ("nothing.npz", b"", HUGE),
        ("long header.safetensors", (2**36).to_bytes(8, "little") + b"{", HUGE),
        ("hole.safetensors", b"", HUGE),
        ("many names.safetensors", damaged_files.safetensors_of(text), None),
        ("zeros.npz", damaged_files.zipped({"scores.npy": b"".join(chunks)}, 8), None),
        ("queries.npz", damaged_files.npz(packed=True, q=q, k=q), None),
    ]


BOMBS = bombs()


@pytest.mark.parametrize(("name", "start", "size"), BOMBS, ids=[name for name, *_ in BOMBS])
def test_a_file_is_judged_before_it_is_read(tmp_path, capsys, name, start, size):
    path = sparse(tmp_path / name, start, size or len(start))
    tracemalloc.start()
    begin = time.monotonic()
    status, out, err = answer(path, capsys)
    seconds = time.monotonic() - begin
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert_one_sentence(path, status, out, err)
    assert seconds < 20
    assert peak < 2**28


def packed_zeros(path, size):
    """An .npz whose array has `size` bytes, all 0."""
    header = damaged_files.npy_of(damaged_files.header_of(f"(1, {size})", "'|u1'"))
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("scores.npy", "w") as stream,
    ):
        stream.write(header)
        for _ in range(size // 2**20):
            stream.write(bytes(2**20))
    return path


def test_a_packed_array_has_a_bound(tmp_path, capsys, monkeypatch):
    path = packed_zeros(tmp_path / "a.npz", 2**24)
    assert path.stat().st_size < 2**18
    assert read(path)["scores"].shape == (1, 2**24)
    monkeypatch.setattr(files, "MOST_UNPACKED", 2**23)
    status, out, err = answer(path, capsys)
    assert_one_sentence(path, status, out, err)
    assert "unpacked it has 16,777,216 bytes; allowed: 8,388,608" in err


ONE_ROW_OF_A_MAP = """
import sys, tracemalloc
from pathlib import Path
import numpy as np, psutil
from attention_separation import head
from attention_separation.head.files import read
tracemalloc.start()
scores = read(Path(sys.argv[1]))["scores"]
target = np.full(len(scores), -1)
target[-1] = 3
print(head.measure(scores, target)["n"][0])
print(tracemalloc.get_traced_memory()[1])
print(psutil.Process().memory_info().rss)
"""


def test_numbers_are_mapped_and_not_read(tmp_path):
    """A map of 64 GiB of a file that is a hole, of which one row of 4 MiB is asked for.

    A process of its own tells what it allocated and what it holds: the system's highest values are
    no measure, for a process starts with its parent's.
    """
    header = damaged_files.npy_of(damaged_files.header_of(f"({2**14}, {2**20})"))
    path = sparse(tmp_path / "a.npy", header, len(header) + 2**36)
    command = [sys.executable, "-c", ONE_ROW_OF_A_MAP, path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    points, allocated, held = map(int, done.stdout.split())
    assert points == 2**20
    assert allocated < 2**29
    assert held < 2**30


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f2", "<f4", ">f4", "<f8", ">f8", "<i2", "u1", "<i8"])
def test_every_type_of_numbers_is_read_as_numpy_reads_it(tmp_path, order, dtype):
    array = np.asarray(np.round(10 * np.abs(S)), dtype, order=order)
    path = written(tmp_path, "a.npy", damaged_files.npy(array))
    assert np.array_equal(read(path)["scores"], array)
    for packed in (False, True):
        path = written(tmp_path, "a.npz", damaged_files.npz(packed, weights=array, mask=S > 0))
        arrays = read(path)
        assert arrays.keys() == {"weights", "mask"}
        assert np.array_equal(arrays["weights"], array)
        assert np.array_equal(arrays["mask"], S > 0)
        assert arrays["mask"].dtype == bool


def test_types_of_safetensors_are_read_wherever_they_stand(tmp_path):
    arrays = {
        "mask": S[:, :3] > 0,  # so that what follows stands on odd bytes
        "scores": S,
        "q": S.astype(np.float16),
        "k": S.astype(np.float64),
        "target": np.arange(4),
        "weights": (S.view(np.uint32) >> 16).astype(np.uint16),
        "tokens": np.empty((0, 4), np.int64),
    }
    path = written(tmp_path, "a.safetensors", damaged_files.safetensors(arrays))
    values = read(path)
    assert values.keys() == arrays.keys()
    bfloat16 = (S.view(np.uint32) & 0xFFFF0000).view(np.float32)
    for name, array in (arrays | {"weights": bfloat16}).items():
        assert np.array_equal(values[name], array), name


def test_a_name_in_capitals_and_an_npy_of_weights_are_read(tmp_path, capsys):
    weights = np.exp(S) / np.exp(S).sum(1, keepdims=True)
    path = written(tmp_path, "W.NPY", damaged_files.npy(weights))
    status, out, _ = answer(path, capsys, "--use", "weights")
    assert status == 0
    table = head.summary(head.measure(weights, 3, weights=True))
    assert f"{table['reach'][0]:.6g}" in out


# Which array is meant.


@pytest.mark.parametrize(
    "names", [("scores", "weights"), ("scores", "q", "k"), ("weights", "q", "k")]
)
def test_two_sources_in_one_file_are_asked_about(tmp_path, capsys, names):
    weights = np.exp(S) / np.exp(S).sum(1, keepdims=True)
    q = S.reshape(1, 4, 40)
    k = np.random.default_rng(2).standard_normal((1, 40, 40))
    arrays = {"scores": S, "weights": weights, "q": q, "k": k}
    path = written(tmp_path, "a.npz", damaged_files.npz(**{name: arrays[name] for name in names}))
    status, out, err = answer(path, capsys)
    assert_one_sentence(path, status, out, err)
    assert "which is to be measured? Say --use" in err
    right = {
        "scores": lambda: head.measure(S, 3),
        "weights": lambda: head.measure(weights, 3, weights=True),
        "q": lambda: head.measure(head.scores_of(q, k), 3),
    }
    for name in {*names} - {"k"}:
        used = [name, "k"] if name == "q" else [name]
        status, out, err = answer(path, capsys, "--use", *used)
        assert (status, err) == (0, "")
        assert f"{head.summary(right[name]())['share'][0]:.6g}" in out


def test_two_targets_are_asked_about(tmp_path, capsys):
    tokens = np.arange(40) % 7
    square = np.random.default_rng(2).standard_normal((40, 40))
    file = damaged_files.npz(scores=square, target=np.full(40, 3), tokens=tokens)
    path = written(tmp_path, "a.npz", file)
    for words in ([], ["--use", "scores", "target"]):
        status, out, err = answer(path, capsys, *words)
        assert_one_sentence(path, status, out, err)
        assert "which is to be found?" in err
    assert main(["head", str(path)]) == 1
    assert "which is to be found?" in capsys.readouterr().err
    rights = {
        ("scores", "target"): (head.measure(square, 3), []),
        ("scores", "tokens"): quietly(head.measure, square, head.induction_targets(tokens)),
    }
    for used, (rows, said) in rights.items():
        assert main(["head", str(path), "--use", *used]) == 0
        printed = capsys.readouterr()
        assert f"{head.summary(rows)['reach'][0]:.6g}" in printed.out
        assert printed.err.count("warning") == len(said)


def test_causal_is_an_option(tmp_path, capsys):
    tokens = np.random.default_rng(3).integers(0, 9, 60)
    q = np.random.default_rng(4).standard_normal((2, 60, 8))
    path = written(tmp_path, "a.npz", damaged_files.npz(q=q, k=q, tokens=tokens))
    targets = head.induction_targets(tokens)
    for words, causal in ((["--causal"], True), (["--no-causal"], False), ([], True)):
        assert main(["head", str(path), *words]) == 0
        printed = capsys.readouterr()
        table = head.summary(head.measure(head.scores_of(q, q), targets, causal=causal))
        assert f"{table['reach'][0]:.6g}" in printed.out
        assert ("there are tokens" in printed.err) == (words == [])
        assert printed.err.count("\n") == (words == [])
    # Tokens say so of any target.
    assert main(["head", str(path), "--target", "5"]) == 1
    assert "target 5 is masked at head 0, query 0" in capsys.readouterr().err
    assert main(["head", str(path), "--target", "5", "--no-causal"]) == 0


def test_tokens_of_the_last_queries_and_others(tmp_path, capsys):
    square = np.random.default_rng(2).standard_normal((40, 40))
    tokens = np.arange(40) % 7
    path = written(tmp_path, "a.npz", damaged_files.npz(scores=square[30:], tokens=tokens))
    assert main(["head", str(path), "--causal"]) == 0
    rows = head.measure(square[30:], head.induction_targets(tokens)[30:], causal=True)
    assert f"{head.summary(rows)['reach'][0]:.6g}" in capsys.readouterr().out
    path = written(tmp_path, "b.npz", damaged_files.npz(scores=square, tokens=tokens[1:]))
    assert main(["head", str(path)]) == 1
    assert "tokens have shape (39,)" in capsys.readouterr().err


def test_what_is_wrong_with_the_numbers_names_the_file_too(tmp_path, capsys):
    path = written(tmp_path, "a.npy", damaged_files.npy(np.where(S > 1, np.nan, S)))
    status, out, err = answer(path, capsys)
    assert_one_sentence(path, status, out, err)
    assert "scores have nan at query 0" in err
    path = written(tmp_path, "b.npy", damaged_files.npy(S))
    status, out, err = answer(path, capsys, "--kernel", "x + 1")
    assert_one_sentence(path, status, out, err)
