"""What can be measured, and what is refused, in a sentence each."""

import json

import numpy as np
import pytest
from head_rows import RNG
from seen_keys import N, assert_same

from attention_separation import head
from attention_separation.__main__ import main
from attention_separation.head.measuring import trust

S = np.random.default_rng(1).standard_normal((2, 3, 20, 40))
W = np.exp(S) / np.exp(S).sum(-1, keepdims=True)
Q, K = np.random.default_rng(2).standard_normal((2, 4, 6, 8))[0], np.ones((2, 6, 8))


def changed(array, place, value):
    found = np.array(array)
    found[place] = value
    return found


BAD = [
    (
        lambda: head.measure(changed(S, (1, 2, 3, 4), np.nan), 0),
        "nan at sequence 1, head 2, query 3, key 4",
    ),
    (lambda: head.measure(changed(S, (0, 0, 0, 0), np.inf), 0), "scores have inf at"),
    (lambda: head.measure(changed(S, (0, 0, 0, 0), -np.inf), 0), "target 0 is masked at"),
    (lambda: head.measure(changed(S, (0, 0, 0, 0), -1e4), 0), "target 0 is masked at"),
    (
        lambda: head.measure(S, 0, mask=np.zeros((20, 40), bool)),
        "no query has a target and visible",
    ),
    (lambda: head.measure(S, 40), "target has 40; allowed: from 0 to 39"),
    (lambda: head.measure(S, -1), "target has -1; allowed: from 0 to 39"),
    (lambda: head.measure(S, np.full(20, -2)), "target has -2; .* -1 for none"),
    (lambda: head.measure(S, np.full(20, -1)), "no query has a target"),
    (
        lambda: head.measure(S, np.zeros(19, int)),
        r"target has shape \(19,\); allowed: \(2, 3, 20\)",
    ),
    (lambda: head.measure(S, 0.5), "target has type float64: 0.5; allowed: whole numbers"),
    (lambda: head.measure(S, None), "target has type object: None"),
    (lambda: head.measure(S, 0, fixed=[0]), "target 0 is fixed at"),
    (lambda: head.measure(S, 1, fixed=[40]), "fixed has 40; allowed: from 0 to 39"),
    (lambda: head.measure(S, 1, fixed=[-1]), "fixed has -1; allowed: from 0 to 39"),
    (lambda: head.measure(S, 1, fixed=["a"]), "fixed has type"),
    (lambda: head.measure(S, 1, mask=np.ones((20, 40))), "mask has type float64.*allowed: true or"),
    (lambda: head.measure(S, 1, mask=np.ones(39, bool)), r"mask has shape \(39,\)"),
    (lambda: head.measure(S[..., :8], 1), "every row has fewer than 8 tokens"),
    (lambda: head.measure(S, 1, level=0), "level=0; allowed: numbers between 0 and 1"),
    (lambda: head.measure(S, 1, level=1.0), "level=1.0; allowed"),
    (lambda: head.measure(S, 1, level="a half"), "level='a half'"),
    (lambda: head.measure(S, 1, n=1), "n=1; allowed: numbers from 2"),
    (lambda: head.measure(S, 1, n=2, fixed=[0]), "n=2; allowed: numbers from 3"),
    (lambda: head.measure(S, 1, n=np.nan), "n=nan; allowed"),
    (lambda: head.measure(-W, 1, weights=True), "weights have -.* not negative"),
    (lambda: head.measure(2 * W, 1, weights=True), "weights sum to 2 at .* model.eval"),
    (
        lambda: head.measure(W, 1, weights=True, kernel="linear"),
        "weights=True with kernel='linear'",
    ),
    (lambda: head.measure((), 1), "scores is an empty tuple.*eager"),
    (
        lambda: head.measure([S[0], S[0, :2]], 1),
        r"layers have shapes \[\(2, 20, 40\), \(3, 20, 40\)\]",
    ),
    (lambda: head.measure(np.zeros((1, 1, 1, 1, 20, 40)), 1), "allowed: the last axes of"),
    (lambda: head.measure(np.zeros((3, 0, 40)), 1), r"scores have shape \(3, 0, 40\)"),
    (lambda: head.measure("scores", 1), "scores has type"),
    (lambda: head.measure(np.zeros((20, 40), "V2"), 1), r"scores has type \|V2"),
    (lambda: head.measure(S, 1, kernel="elu_plus_one"), "kernel elu_plus_one needs vectors"),
    (lambda: head.measure(S, 1, kernel="exp_sqrt_d"), "kernel exp_sqrt_d needs d"),
    (lambda: head.measure(S, 1, kernel="exq"), "'exq' is no kernel; did you mean"),
    (lambda: head.measure(S, 1, kernel="linear"), "linear: .*(negative|sums to)"),
    (lambda: head.scores_of(Q, np.ones((3, 6, 8))), "G dividing H"),
    (lambda: head.scores_of(Q, np.ones((2, 6, 7))), "G dividing H"),
    (lambda: head.scores_of(Q[0], K), "G dividing H"),
    (lambda: head.induction_targets([0.5]), "tokens has type float64"),
    (lambda: head.share(S, 1, n=[]), "n is empty"),
    (lambda: head.counting(S, 1, []), "gaps is empty"),
    (lambda: head.plot_heads(head.summary(head.measure(S[0, 0], 1))), "the summary has no"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "words"), BAD, ids=[words for _, words in BAD])
def test_bad_input_is_one_sentence(call, words):
    with pytest.raises((ValueError, ArithmeticError), match=words) as error:
        call()
    assert "\n" not in str(error.value)


def test_grouped_heads_are_a_loop():
    rng = np.random.default_rng(3)
    q, k = rng.standard_normal((5, 4, 7, 8)), rng.standard_normal((5, 2, 9, 8))
    found = head.scores_of(q, k, causal=True)
    for s, h, i, j in np.ndindex(5, 4, 7, 9):
        wanted = q[s, h, i] @ k[s, h // 2, j] / 8**0.5 if j <= i + 2 else -np.inf
        assert found[s, h, i, j] == pytest.approx(wanted)
    np.testing.assert_allclose(head.scores_of(q, k, scale=1)[..., 0], found[..., 0] * 8**0.5)


def test_targets_of_induction():
    assert head.induction_targets([5, 6, 5, 7, 5, 5]).tolist() == [-1, -1, 1, -1, 3, 5]
    assert head.induction_targets([[1, 1], [1, 2]]).tolist() == [[-1, 1], [-1, -1]]


class Tensor:
    """What a tensor of bfloat16 has."""

    def __init__(self, values):
        self.values = values

    def detach(self):
        return self

    def is_floating_point(self):
        return True

    def float(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.values


def test_tensors_are_read_from_wherever_they_are():
    assert head.measure(Tensor(S), 1).equals(head.measure(S, 1))


def test_pictures_show_the_share_and_the_reach():
    from matplotlib import pyplot

    axes = head.plot(np.random.default_rng(5).standard_normal((3, 200)), 1)
    low, share = axes.collections[0], axes.lines[0]
    assert low.get_paths()
    assert share.get_ydata()[0] > share.get_ydata()[-1]
    rows = head.measure(S[None], 1)
    axes = head.plot_heads(head.summary(rows))
    assert axes.images[0].get_array().shape == (1, 3)
    pyplot.close("all")


def written(path, arrays):
    """A file of safetensors."""
    kinds = {"float64": "F64", "float32": "F32", "uint16": "BF16", "int64": "I64", "bool": "BOOL"}
    header, data = {"__metadata__": {"format": "np"}}, b""
    for name, array in arrays.items():
        end = len(data) + array.nbytes
        header[name] = {
            "dtype": kinds[str(array.dtype)], "shape": array.shape, "data_offsets": [len(data), end]
        }  # fmt: skip
        data += array.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def test_the_command_reads_files_and_says_the_check_first(tmp_path, capsys):
    long = np.random.default_rng(7).standard_normal((2, 4, 600))
    np.save(tmp_path / "a.npy", long)
    assert main(["head", str(tmp_path / "a.npy"), "--target", "3"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("held_out")
    rows = head.summary(head.measure(long, 3))
    assert f"{rows['reach'][0]:.6g}" in "\n".join(said)
    words = ["--target", "3", "--kernel", "x**4", "exp", "--n", "2000"]
    assert main(["head", str(tmp_path / "a.npy"), *words]) == 0
    check, names, *lines = capsys.readouterr().out.splitlines()
    assert check == said[0]
    place = names.split().index("reach")
    of_kernels = [head.summary(head.measure(long, 3, kernel=x)) for x in ("x**4", "exp")]
    reach = [f"{x:.6g}" for table in of_kernels for x in table["reach"]]
    assert [line.split()[place] for line in lines[-4:]] == reach
    q = np.random.default_rng(8).standard_normal((2, 30, 8))
    tokens = np.arange(30) % 7
    np.savez(tmp_path / "b.npz", q=q, k=q, tokens=tokens)
    assert main(["head", str(tmp_path / "b.npz"), "--json", "--kernel", "exp", "cosh"]) == 0
    printed = capsys.readouterr()
    first, *others = json.loads(printed.out)
    assert len(others) == 3
    assert printed.err.count("warning") == 1
    targets = head.induction_targets(tokens)
    rows = head.summary(head.measure(head.scores_of(q, q), targets, causal=True))
    assert first["reach"] == pytest.approx(rows["reach"][0])
    values = long.astype(np.float32)
    bits = (values.view(np.uint32) >> 16).astype(np.uint16)
    mask = np.arange(600) < 590
    arrays = {"scores": bits, "target": np.full(4, 3), "mask": mask, "other": mask}
    written(tmp_path / "c.safetensors", arrays)
    assert main(["head", str(tmp_path / "c.safetensors"), "--json"]) == 0
    cut = (values.view(np.uint32) & 0xFFFF0000).view(np.float32)
    found = json.loads(capsys.readouterr().out)
    rows = head.summary(head.measure(cut, 3, mask=mask))
    assert found[1]["share"] == pytest.approx(rows["share"][1])


def test_the_answer_says_first_how_far_to_trust_it():
    said = [trust(x) for x in (0.845, 0.85, np.nan)]
    assert ["under 0.85" in each for each in said] == [True, False, False]
    assert "not known" in said[2]


@pytest.mark.parametrize(
    ("name", "write", "words"),
    [
        ("a.txt", lambda path: path.write_text("1"), "allowed: .npy, .npz and .safetensors"),
        ("a.npz", lambda path: np.savez(path, x=[1.0]), "allowed: scores, weights, or q and k"),
        ("a.npz", lambda path: np.savez(path, scores=S), "no target; allowed: --target"),
        ("a.safetensors", lambda path: path.write_bytes(b"x" * 20), "no file of safetensors"),
        ("none.npy", lambda path: None, "No such file"),
    ],
)
def test_a_file_that_cannot_be_measured_is_one_sentence(tmp_path, capsys, name, write, words):
    write(tmp_path / name)
    assert main(["head", str(tmp_path / name)]) == 1
    assert words in capsys.readouterr().err


def test_scores_of_whole_numbers_and_of_a_scale_of_zero():
    q, k = np.full((1, 2, 4), 3), np.ones((1, 3, 4), int)
    np.testing.assert_array_equal(head.scores_of(q, k), np.full((1, 2, 3), 6.0))
    assert (head.scores_of(q, k, scale=0) == 0).all()


def test_whole_numbers_are_scores_and_truths_are_not():
    scores = RNG(1).integers(-20, 20, (4, N))
    for dtype in (np.int8, np.int64):
        assert_same(head.measure(scores.astype(dtype), 3), head.measure(scores * 1.0, 3))
    unsigned = (scores + 20).astype(np.uint8)
    assert_same(head.measure(unsigned, 3), head.measure(unsigned * 1.0, 3))
    one_hot = np.zeros((1, N), int)
    one_hot[0, 3] = 1
    assert head.measure(one_hot, 3, weights=True, mask=np.ones((1, N), bool))["share"][0] == 1
    with pytest.raises(ValueError, match=r"scores has type bool: .*real numbers; .*mask="):
        head.measure(scores > 0, 3)


def test_an_array_that_hides_numbers_is_refused():
    scores = np.ma.masked_less(RNG(1).standard_normal((4, N)), 0)
    with pytest.raises(ValueError, match=r"scores is a masked array.*mask=~array.mask"):
        head.measure(scores, 3)
