"""Files of arrays, .npy, .npz and .safetensors: a file's header is judged before anything else of
it is read, and numbers are mapped into memory where they stand in the file as they are.

A file that cannot be read is one sentence, whatever is wrong with it.
"""

import json
import math
import stat
import struct
import warnings
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np

from ..settings.words import counted, short_repr

NAMES = ("scores", "weights", "q", "k", "mask", "sinks", "target", "tokens")
"""Arrays that are read, of a file of several."""

READABLE = (
    "what can be read: .npy of scores; .npz and .safetensors of scores, weights, or q and k, "
    "with mask, sinks, target and tokens if there are any"
)

MOST_NPY_HEADER = 10_000
MOST_SAFETENSORS_HEADER = 2**24
MOST_AXES = 5
MOST_LENGTH = 2**40
MOST_UNPACKED = 2**32
"""Bytes of a compressed array: a file of a few megabytes may unpack to more than there is."""

CHUNK = 2**20

NUMBER_TYPES = {
    "BOOL": "u1", "U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "U32": "<u4", "I32": "<i4",
    "U64": "<u8", "I64": "<i8", "F16": "<f2", "BF16": "<u2", "F32": "<f4", "F64": "<f8",
}  # fmt: skip
"""NumPy's types of those of safetensors: of BOOL its bytes, of BF16 its bits."""


class DamagedError(ValueError):
    """A file, or an array of it, is not what its name says; the text says why."""


@dataclass(frozen=True)
class Layout:
    """How numbers stand in a file, from a byte on."""

    shape: tuple[int, ...]
    dtype: np.dtype
    begin: int
    order: Literal["C", "F"] = "C"

    @property
    def size(self) -> int:
        """In bytes."""
        return math.prod(self.shape) * self.dtype.itemsize


def read(path: Path, names: Sequence[str] = NAMES) -> dict[str, np.ndarray]:
    """Returns the arrays of a file that have one of the names; that of an .npy, which has none, is
    scores, or has the only name of these.

    Raises
    ------
    ValueError
        If there is no such file, or it cannot be read; the text names it, and what can be.
    """
    readers: dict[str, Callable[[Path, Sequence[str]], dict[str, np.ndarray]]] = {
        ".npy": _read_npy,
        ".npz": _read_npz,
        ".safetensors": _read_safetensors,
    }
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise ValueError(f"{path}: allowed: .npy, .npz and .safetensors; {READABLE}")
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise DamagedError(f"it is {_kind_of(mode)}, no file")
        return reader(path, names)
    except DamagedError as error:
        kind = path.suffix.lower().removeprefix(".")
        raise ValueError(
            f"{path} is no file of {kind} that can be read: {error}; {READABLE}"
        ) from error
    except OSError as error:
        reason = error.strerror or "the system does not say why"
        raise ValueError(f"{path} cannot be read: {reason}; {READABLE}") from error


def _kind_of(mode: int) -> str:
    kinds = {
        stat.S_IFDIR: "a folder",
        stat.S_IFIFO: "a pipe",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
        stat.S_IFSOCK: "a socket",
    }
    return kinds.get(stat.S_IFMT(mode), "something else")


def _read_npy(path: Path, names: Sequence[str]) -> dict[str, np.ndarray]:
    name = names[0] if len(names) == 1 else "scores"
    size = path.stat().st_size
    with path.open("rb") as stream:
        layout = _npy_layout(stream.read(MOST_NPY_HEADER))
    _check_size(layout, size - layout.begin)
    return {name: _mapped(path, layout)}


def _npy_layout(start: bytes) -> Layout:
    """Returns the layout of an .npy that begins with these bytes, its header among them."""
    if not start.startswith(np.lib.format.MAGIC_PREFIX):
        raise DamagedError("it is empty" if not start else "it does not begin as an .npy does")
    stream = BytesIO(start)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of headers that Python 2 wrote
            version = np.lib.format.read_magic(stream)
            if version == (1, 0):
                header = np.lib.format.read_array_header_1_0(stream)
            elif version == (2, 0):
                header = np.lib.format.read_array_header_2_0(stream)
            else:
                raise DamagedError("its header is of a version that no array of numbers has")
    except DamagedError:
        raise
    except Exception as error:  # The header is a Python literal: a damaged one raises anything.
        raise DamagedError("its header is damaged, or longer than one of numbers is") from error
    shape, is_fortran, dtype = header
    _check_shape(shape)
    if dtype.kind not in "biuf":
        raise DamagedError(f"it has {_type_words(dtype)}")
    return Layout(shape, dtype, stream.tell(), "F" if is_fortran else "C")


def _type_words(dtype: np.dtype) -> str:
    if dtype.hasobject:
        return "Python objects; allowed: numbers"
    if dtype.kind == "V" and dtype.names is None and dtype.subdtype is None:
        return f"bytes without a type, {dtype}; bfloat16 has to be saved as float32"
    return f"values of type {short_repr(dtype.str)}; allowed: numbers"


def _check_shape(shape: Sequence[int]) -> None:
    if len(shape) > MOST_AXES:
        raise DamagedError(f"it has {len(shape)} axes; allowed: up to {MOST_AXES}")
    if not all(type(length) is int and 0 <= length <= MOST_LENGTH for length in shape):
        raise DamagedError(f"its shape is {short_repr(tuple(shape))}")


def _check_size(layout: Layout, size: int) -> None:
    """DamagedError where numbers of this layout do not take `size` bytes."""
    if layout.size != size:
        raise DamagedError(
            f"its header says {counted(layout.size, 'byte')} of numbers, and {size:,} are there"
        )


def _mapped(path: Path, layout: Layout) -> np.ndarray:
    """The numbers of a file, which stay there until they are needed."""
    if layout.size == 0:
        return np.empty(layout.shape, layout.dtype)
    data = np.memmap(path, np.uint8, mode="r", offset=layout.begin, shape=(layout.size,))
    return _as_numbers(data, layout)


def _as_numbers(data: Any, layout: Layout) -> np.ndarray:
    """Bytes as the numbers of a layout."""
    # A byte that is true may be any but 0.
    dtype = np.dtype(np.uint8) if layout.dtype.kind == "b" else layout.dtype
    array = np.frombuffer(data, dtype).reshape(layout.shape, order=layout.order)
    return array != 0 if layout.dtype.kind == "b" else array


def _read_npz(path: Path, names: Sequence[str]) -> dict[str, np.ndarray]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = {info.filename: info for info in archive.infolist()}
            return {
                name: _npz_member(archive, members[f"{name}.npy"])
                for name in names
                if f"{name}.npy" in members
            }
    except (DamagedError, OSError, MemoryError):
        raise
    except Exception as error:  # BadZipFile, zlib.error, EOFError, struct.error, RuntimeError, ...
        raise DamagedError("it is cut, or damaged, or no .npz") from error


def _npz_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    """An array of an archive; it is unpacked once its header is judged."""
    name = member.filename
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise DamagedError(f"{name} is packed as no .npz is")
    try:
        with archive.open(member) as stream:
            start = stream.read(MOST_NPY_HEADER)
            layout = _npy_layout(start)
            _check_size(layout, member.file_size - layout.begin)
            if member.compress_type == zipfile.ZIP_DEFLATED and layout.size > MOST_UNPACKED:
                raise DamagedError(
                    f"unpacked it has {layout.size:,} bytes; allowed: {MOST_UNPACKED:,}, and any "
                    "number in files that are not packed"
                )
            data = _filled(stream, start[layout.begin :], layout.size)
    except DamagedError as error:
        raise DamagedError(f"{name}: {error}") from error
    return _as_numbers(data, layout) if layout.size else np.empty(layout.shape, layout.dtype)


def _filled(stream: Any, start: bytes, size: int) -> bytearray:
    """A number of bytes: those that were read, and what follows. At the end the archive checks
    them all."""
    data = bytearray(size)
    data[: len(start)] = start[:size]
    done = len(start)
    while done < size:
        part = stream.read(min(CHUNK, size - done))
        if not part:
            raise DamagedError("it is cut")
        data[done : done + len(part)] = part
        done += len(part)
    if stream.read(1):
        raise DamagedError("there is more than its header says")
    return data


@dataclass(frozen=True)
class Entry:
    """What a header of safetensors says of an array: its type, its shape, its first byte and the
    one behind its last, from where the header ends."""

    type: str
    shape: tuple[int, ...]
    begin: int
    end: int


def _read_safetensors(path: Path, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Of a header's length in eight bytes, the header as JSON, and bytes of numbers."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        header, begin = _safetensors_header(stream, size)
    entries = {name: _entry(name, value) for name, value in header.items()}
    _check_order(entries.values(), size - begin)
    wanted = [name for name in names if name in entries]
    return {name: _safetensors_array(path, name, entries[name], begin) for name in wanted}


def _safetensors_header(stream: BinaryIO, size: int) -> tuple[dict[str, Any], int]:
    """Returns what the header says of arrays, and the byte behind it."""
    if size < 8:
        raise DamagedError("it is empty" if size == 0 else "it is cut")
    (length,) = struct.unpack("<Q", stream.read(8))
    if length > min(size - 8, MOST_SAFETENSORS_HEADER):
        raise DamagedError(
            f"its header is said to have {length:,} bytes, of {size:,} in all; allowed: up to "
            f"{MOST_SAFETENSORS_HEADER:,}"
        )
    try:
        header = json.loads(stream.read(length).decode(), object_pairs_hook=_unique)
    except DamagedError:
        raise
    except (ValueError, RecursionError) as error:
        raise DamagedError("its header is no JSON") from error
    if not isinstance(header, dict):
        raise DamagedError("its header has no names")
    header.pop("__metadata__", None)
    return header, 8 + length


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """A dictionary; DamagedError where a key comes twice."""
    values = dict(pairs)
    if len(values) < len(pairs):
        raise DamagedError("a name stands twice in its header")
    return values


def _entry(name: str, value: Any) -> Entry:
    """Returns what a header says of an array; DamagedError if it is not said so."""
    if isinstance(value, Mapping):
        number_type = value.get("dtype")
        shape = _lengths(value.get("shape"))
        offsets = _lengths(value.get("data_offsets"))
        if isinstance(number_type, str) and shape is not None and offsets is not None:
            is_range = len(offsets) == 2 and offsets[0] <= offsets[-1]
            if is_range:
                return Entry(number_type, shape, begin=offsets[0], end=offsets[1])
    raise DamagedError(
        f"its header says of {short_repr(name)} {short_repr(value)}; allowed: a dtype, a shape and "
        "two data_offsets"
    )


def _lengths(values: Any) -> tuple[int, ...] | None:
    """Returns whole numbers from 0 on, None if a list has others."""
    if not isinstance(values, list):
        return None
    if not all(type(value) is int and value >= 0 for value in values):
        return None
    return tuple(values)


def _check_order(entries: Iterable[Entry], size: int) -> None:
    """DamagedError where arrays do not follow each other from the first byte to the last."""
    end = 0
    for entry in sorted(entries, key=lambda entry: (entry.begin, entry.end)):
        if entry.begin != end:
            raise DamagedError("its arrays overlap, or there are bytes of none between them")
        end = entry.end
    if end != size:
        raise DamagedError(
            f"its header says {counted(end, 'byte')} of numbers, and {size:,} are there"
        )


def _safetensors_array(path: Path, name: str, entry: Entry, begin: int) -> np.ndarray:
    if entry.type not in NUMBER_TYPES:
        raise DamagedError(
            f"{name} has type {short_repr(entry.type)}; allowed: {', '.join(NUMBER_TYPES)}"
        )
    try:
        _check_shape(entry.shape)
        layout = Layout(entry.shape, np.dtype(NUMBER_TYPES[entry.type]), begin + entry.begin)
        _check_size(layout, entry.end - entry.begin)
    except DamagedError as error:
        raise DamagedError(f"{name}: {error}") from error
    array = _mapped(path, layout)
    if entry.type == "BOOL":
        return array != 0
    if entry.type == "BF16":
        bits = array.astype(np.uint32) << 16
        return bits.view(np.float32)
    return array
