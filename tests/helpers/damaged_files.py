"""Files of arrays, good and damaged in every way that is thought of: a name, and bytes."""

import io
import json
import struct
import zipfile

import numpy as np

S = np.random.default_rng(1).standard_normal((4, 40)).astype(np.float32)

TYPES = {"float64": "F64", "float32": "F32", "float16": "F16", "int64": "I64", "bool": "BOOL"}


def npy(array, version=None):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(array), version=version, allow_pickle=True)
    return stream.getvalue()


def npy_of(header, data=b"", version=(1, 0)):
    """An .npy with a header of one's own: a text, or bytes."""
    text = header if isinstance(header, bytes) else header.encode("latin1")
    length = struct.pack("<H" if version[0] == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes(version) + length + text + data


def header_of(shape="(4, 40)", descr="'<f4'", order="False"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"


def npz(packed=False, **arrays):
    stream = io.BytesIO()
    save = np.savez_compressed if packed else np.savez
    save(stream, **arrays)
    return stream.getvalue()


def zipped(members, method=zipfile.ZIP_STORED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


def safetensors(arrays):
    """As the library writes it; uint16 are bits of bfloat16."""
    header, data = {"__metadata__": {"format": "np"}}, b""
    for name, array in arrays.items():
        kind = "BF16" if array.dtype == np.uint16 else TYPES[str(array.dtype)]
        offsets = [len(data), len(data) + array.nbytes]
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": offsets}
        data += array.tobytes()
    return safetensors_of(json.dumps(header), data)


DATA = S.tobytes()


def safetensors_of(header, data=DATA, length=None):
    """With a header of one's own: a text, or bytes."""
    text = header if isinstance(header, bytes) else header.encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def entry(kind="F32", shape=(4, 40), offsets=(0, 640), **more):
    values = {"dtype": kind, "shape": shape, "data_offsets": offsets} | more
    return {key: value for key, value in values.items() if value != "none"}


def good():
    """Files that are read, a packed one among them."""
    mask = np.ones((4, 40), bool)
    arrays = {"scores": S, "mask": mask, "target": np.full(4, 3)}
    return {
        "good.npy": npy(S),
        "good.npz": npz(**arrays),
        "packed.npz": npz(packed=True, **arrays),
        "good.safetensors": safetensors(arrays),
    }


def odd_npy():
    """Headers of .npy, and their data."""
    data = S.tobytes()
    deep = "(" * 3000 + ")" * 3000
    headers = {
        "no dictionary": "[]",
        "not closed": "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 40",
        "no shape": "{'descr': '<f4', 'fortran_order': False}",
        "more keys": header_of()[:-3] + "'more': 1}",
        "a call": header_of(shape="print(1)"),
        "deep": header_of(shape=deep),
        "deep signs": header_of(shape="(" + "-" * 9000 + "1,)"),
        "negative": header_of(shape="(-4, 40)"),
        "two negative": header_of(shape="(-4, -40)"),
        "huge": header_of(shape="(10**30, 40)"),
        "huge number": header_of(shape="(1" + "0" * 30 + ", 40)"),
        "huge and none": header_of(shape="(1" + "0" * 30 + ", 0)"),
        "digits": header_of(shape="(1" + "0" * 5000 + ", 40)"),
        "more than there is": header_of(shape="(400000, 400000)"),
        "less than there is": header_of(shape="(2, 40)"),
        "none": header_of(shape="(0, 40)"),
        "no axis": header_of(shape="()"),
        "many axes": header_of(shape="(1,) * 70"),
        "seventy axes": header_of(shape="(" + "1, " * 68 + "4, 40)"),
        "true": header_of(shape="(True, 160)"),
        "text for a shape": header_of(shape="'4, 40'"),
        "order": header_of(order="'F'"),
        "objects": header_of(descr="'|O'"),
        "complex": header_of(shape="(2, 40)", descr="'<c8'"),
        "text": header_of(descr="'<U1'"),
        "void": header_of(shape="(8, 40)", descr="'|V2'"),
        "dates": header_of(shape="(2, 40)", descr="'<M8[s]'"),
        "records": header_of(descr="[('x', '<f4')]"),
        "no type": header_of(descr="'<f3'"),
        "type of nothing": header_of(descr="None"),
        "nested type": header_of(descr="('<f4', (2, 2))"),
        "deep type": header_of(descr="[" * 90 + "]" * 90),
        "null": header_of().replace("f", "\0"),
        "not latin": b"\xff\xfe\x00" * 20,
        "long": header_of() + " " * 20_000,
        "empty": "",
    }
    files = {f"{name}.npy": npy_of(header, data) for name, header in headers.items()}
    for version in ((2, 0), (3, 0), (0, 0), (4, 1), (255, 255)):
        files[f"version {version[0]}.npy"] = npy_of(header_of(), data[:-1], version)
    files["length.npy"] = b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + header_of().encode() + data
    files["empty.npy"] = b""
    files["pickle.npy"] = b"\x80\x04\x95\x00\x00\x00\x00."
    files["objects with data.npy"] = npy(np.array([{}, []], object))
    files["zip.npy"] = npz(scores=S)
    return files


def odd_npz():
    """Archives and what is in them."""
    files = {f"in it, {name[:-4]}.npz": zipped({"scores.npy": x}) for name, x in odd_npy().items()}
    lying = npy_of(header_of(shape="(100000, 100000)"), S.tobytes())
    files |= {
        "empty.npz": b"",
        "no members.npz": zipped({}),
        "other names.npz": npz(x=S),
        "npy.npz": npy(S),
        "text.npz": b"scores\n1 2 3\n",
        "bz2.npz": zipped({"scores.npy": npy(S)}, zipfile.ZIP_BZIP2),
        "lzma.npz": zipped({"scores.npy": npy(S)}, zipfile.ZIP_LZMA),
        "more than there is.npz": zipped({"scores.npy": lying}),
        "nothing in it.npz": zipped({"scores.npy": b""}),
        "a folder.npz": zipped({"scores.npy/": b""}),
        "end alone.npz": zipped({})[:22] + b"\0" * 30,
    }
    encrypted = bytearray(npz(scores=S))
    for sign, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        encrypted[encrypted.find(sign) + place] |= 1
    files["encrypted.npz"] = bytes(encrypted)
    return files


def odd_safetensors():
    """Headers of safetensors."""
    whole = entry()
    half = {"a": entry(shape=(2, 40), offsets=(0, 320))}
    headers = {
        "no JSON": "{",
        "text": '"scores"',
        "number": "7",
        "list": "[1, 2]",
        "null": "null",
        "not UTF-8": b'{"\xff\xfe": 1}',
        "deep": "[" * 100_000 + "]" * 100_000,
        "deep objects": '{"a":' * 100_000 + "1" + "}" * 100_000,
        "deep in an entry": '{"scores": ' + "[" * 900 + "]" * 900 + "}",
        "a key twice": '{"scores": {}, "scores": ' + json.dumps(whole) + "}",
        "an offset twice": '{"scores": {"dtype": "F32", "shape": [4, 40], "shape": [4, 40], '
        '"data_offsets": [0, 640]}}',
        "many digits": '{"scores": ' + "9" * 10_000 + "}",
        "NaN": '{"scores": NaN}',
        "no entry": {"scores": None},
        "a list": {"scores": [1]},
        "no type": {"scores": entry(kind="none")},
        "no shape": {"scores": entry(shape="none")},
        "no offsets": {"scores": entry(offsets="none")},
        "a type that is a list": {"scores": entry(kind=["F32"])},
        "negative": {"scores": entry(shape=(-4, 40))},
        "two negative": {"scores": entry(shape=(-4, -40))},
        "negative offset": {"scores": entry(offsets=(-640, 0))},
        "backwards": {"scores": entry(offsets=(640, 0))},
        "behind the end": {"scores": entry(offsets=(640, 1280))},
        "too far": {"scores": entry(offsets=(0, 10**30))},
        "huge shape": {"scores": entry(shape=(10**30, 40))},
        "huge and none": {"scores": entry(shape=(10**30, 0), offsets=(0, 0)), "x": whole},
        "fraction": {"scores": entry(shape=(4.0, 40))},
        "true": {"scores": entry(shape=(True, 160))},
        "one offset": {"scores": entry(offsets=(0,))},
        "three offsets": {"scores": entry(offsets=(0, 320, 640))},
        "another size": {"scores": entry(shape=(4, 41))},
        "many axes": {"scores": entry(shape=(1,) * 70 + (4, 40))},
        "overlap": half | {"scores": entry(shape=(3, 40), offsets=(160, 640))},
        "same place": {"a": whole, "scores": whole},
        "a hole": {"scores": entry(shape=(2, 40), offsets=(320, 640))},
        "more behind": {"scores": entry(shape=(2, 40), offsets=(0, 320))},
        "empty": "",
        "no names": {},
        "other names": {"x": whole},
    }
    wrong = ("F8_E4M3", "F8_E5M2", "F8_E8M0", "F4", "F6_E2M3", "C64", "F128", "f32", "", "F", "U",
             "I7", "X32", "F32 ", "BOOLEAN", "O8", "V4", "bf16")  # fmt: skip
    headers |= {f"type {kind!r}": {"scores": entry(kind=kind)} for kind in wrong}
    files = {
        f"{name}.safetensors": safetensors_of(x if isinstance(x, str | bytes) else json.dumps(x))
        for name, x in headers.items()
    }
    text = json.dumps({"scores": whole})
    for length in (0, 1, len(text) - 1, len(text) + 1, 10**6, 2**31, 2**62, 2**64 - 1):
        files[f"length {length}.safetensors"] = safetensors_of(text, length=length)
    files["nothing.safetensors"] = b""
    files["seven bytes.safetensors"] = b"\1" * 7
    return files


def cut(stride):
    """Good files, cut."""
    files = {}
    for name, data in good().items():
        for length in range(0, len(data), stride):
            files[f"{length} of {name}"] = data[:length]
    return files


def flipped(count, seed):
    """Good files with a bit changed: in their first bytes, their last, or anywhere."""
    rng = np.random.default_rng(seed)
    files = {}
    for name, data in good().items():
        for k in range(count):
            begin, end = ((0, 150), (len(data) - 300, len(data)), (0, len(data)))[k % 3]
            changed = bytearray(data)
            place = int(rng.integers(max(begin, 0), min(end, len(data))))
            changed[place] ^= 1 << int(rng.integers(8))
            files[f"{k}, byte {place} of {name}"] = bytes(changed)
    return files
