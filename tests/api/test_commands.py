"""The commands `separate`, `compare` and `kernels`."""

import json
import re
import subprocess
import sys

import pytest
from making import ROOT

import attention_separation as asep
from attention_separation import needle, recall
from attention_separation.__main__ import main
from attention_separation.api import commands


def answer(capsys, *arguments):
    status = main([*arguments])
    return status, capsys.readouterr()


def test_separate_for_people_and_programs(capsys):
    given = ("separate", "--kernel", "taylor_2", "--n", "1e3", "--attention-x", "ones")
    status, said = answer(capsys, *given, "--json")
    found = json.loads(said.out)
    exact = asep.separate("taylor_2", "self_attention", "ones", 1000)
    assert status == 0
    assert found["probability"] == exact.probability
    assert found["theta"] == list(exact.theta)
    assert (found["margin"], found["largest_n"]) == (exact.margin, 100)
    _, said = answer(capsys, *given)
    shown = [line.split() for line in said.out.splitlines()]
    assert ["probability", f"{exact.probability:.6g}"] in shown
    assert ["probability_after_signs", f"{exact.probability_after_signs:.6g}"] in shown
    assert ["largest_n", "100"] in shown


def test_sizes_and_thresholds(capsys):
    given = ("separate", "--kernel", "hedgehog", "--n", "40", "--d", "12", "--m", "5", "--a1", "2")
    _, said = answer(capsys, *given, "--theta", "0.9", "--split", "3", "--json")
    exact = asep.separate("hedgehog", n=40, d=12, m=5, a1=2, theta=0.9, split=3)
    assert json.loads(said.out)["probability"] == exact.probability


def test_compare(capsys):
    given = ("compare", "--kernel", "exp", "linear", "x**4", "--n", "200", "2_000")
    status, said = answer(capsys, *given)
    head, _, exp, linear, formula = said.out.splitlines()
    assert status == 0
    assert head.split("  ")[0] == "kernel"
    assert "n = 2,000" in head
    assert exp.split() == ["exp", "0.986637", "0.986637", "10^12", "still"]
    assert linear.split()[-1] == "80"
    assert formula.split()[0] == "x**4"
    _, said = answer(capsys, *given, "--json")
    found = json.loads(said.out)
    assert found["largest_n"] == {"exp": "inf", "linear": 80, "x**4": 2680}
    assert [row["n"] for row in found["rows"]] == [200, 2000] * 3


def test_runs_and_holes(capsys):
    at = ("--model", "cross_attention", "--n", "200")
    _, said = answer(capsys, "separate", "--kernel", "ssmax", *at)
    shown = dict(re.split(r" {2,}", line, maxsplit=1) for line in said.out.splitlines()[2:])
    assert shown["largest_n"] == "inf"
    assert shown["separates_from"] == "300"
    assert (shown["spans"], shown["holes"]) == ("300 to 10^12", "20 to 280")
    assert said.err.startswith(
        "separate: warning: ssmax: it does not separate at some n from 20 to"
    )
    _, said = answer(capsys, "separate", "--kernel", "ssmax", *at, "--json")
    found = json.loads(said.out)
    assert found["spans"] == [[300, "inf"]]
    assert found["holes"] == [[20, 280]]
    _, said = answer(capsys, "compare", "--kernel", "ssmax", "exp", *at)
    head, _, of_ssmax, of_exp = said.out.splitlines()
    assert head.endswith("separates up to  but not at")
    assert (of_ssmax.split()[0], of_exp.split()[0]) == ("ssmax", "exp")
    assert (of_ssmax.split()[-3:], of_exp.split()[-1]) == (["20", "to", "280"], "none")
    _, said = answer(capsys, "compare", "--kernel", "ssmax", "exp", *at, "--json")
    found = json.loads(said.out)
    assert found["spans"] == {"ssmax": [[300, "inf"]], "exp": [[20, "inf"]]}
    assert found["holes"] == {"ssmax": [[20, 280]], "exp": []}
    assert found["separates_from"] == {"ssmax": 300, "exp": 20}


def test_an_answer_that_is_not_told_is_a_sentence_and_the_runs_are_there(capsys):
    given = ("separate", "--kernel", "sigmoid", "--model", "cross_attention", "--level", "0.1")
    _, said = answer(capsys, *given, "--json")
    found = json.loads(said.out)
    assert found["largest_n"].startswith("sigmoid: from n = 2,935,380 on float64 does not tell")
    assert found["spans"] == [[20, 2_935_360]]


def test_a_margin_that_takes_too_much_is_left_out(capsys):
    given = ("separate", "--kernel", "exp", "--d", "1002", "--n", "2000", "--json")
    status, said = answer(capsys, *given)
    assert status == 0
    assert "margin" not in json.loads(said.out)


def test_warnings_are_a_line(capsys):
    status, said = answer(capsys, "separate", "--kernel", "1.9*log_n - x")
    assert status == 0
    # On a busy machine a line before may say how long it takes.
    (line,) = [line for line in said.err.splitlines() if "warning" in line]
    assert line.startswith("separate: warning: 1.9*log_n - x: some weights are negative")


def test_kernels(capsys):
    status, said = answer(capsys, "kernels")
    assert status == 0
    assert "elu_plus_one" in said.out
    _, said = answer(capsys, "kernels", "--json")
    assert len(json.loads(said.out)) == len(asep.kernels)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--kernel", "softmx"), "separate: 'softmx' is no kernel; did you mean 'exp' (softmax)?"),
        (("--kernel", "exp", "--n", "210"), "nearest valid n: 200 or 220"),
        (("--kernel", "exp", "--theta", "bets"), "theta='bets'; allowed: 'best', 'paper'"),
    ],
)
def test_faults_are_one_sentence(capsys, arguments, words):
    status, said = answer(capsys, "separate", *arguments)
    assert status == 1
    assert words in said.err
    assert len(said.err.splitlines()) == 1
    assert said.out == ""


def test_too_little_memory_is_one_sentence(capsys, monkeypatch):
    def refuse(*arguments, **options):
        raise MemoryError("it takes about 4.8 GiB; allowed: 2")

    monkeypatch.setattr(commands, "separate", refuse)
    status, said = answer(capsys, "separate", "--kernel", "exp")
    assert status == 1
    assert "not enough memory: it takes about 4.8 GiB; allowed: 2" in said.err
    assert len(said.err.splitlines()) == 1


def test_numbers_of_tokens_are_whole(capsys):
    with pytest.raises(SystemExit):
        main(["separate", "--kernel", "exp", "--n", "200.5"])
    assert "'200.5'; allowed: whole numbers" in capsys.readouterr().err


def test_a_reader_who_stops_is_no_fault():
    command = f"{sys.executable} -W error -m attention_separation kernels | head -1"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=True, cwd=ROOT / "src"
    )
    assert done.stdout.startswith("kernel ")
    assert done.stderr == ""


def table(said):
    """The lines of a table, in cells."""
    return [re.split(r" {2,}", line) for line in said.out.splitlines()]


def test_kernels_stand_by_position(capsys):
    by_option = answer(capsys, "separate", "--kernel", "linear", "--n", "40")[1].out
    assert answer(capsys, "separate", "linear", "--n", "40")[1].out == by_option
    by_option = answer(capsys, "compare", "--kernel", "exp", "x", "--n", "40")[1].out
    assert answer(capsys, "compare", "exp", "x", "--n", "40")[1].out == by_option
    for arguments, count in ((("separate",), 0), (("separate", "exp", "--kernel", "x"), 2)):
        status, said = answer(capsys, *arguments)
        assert (status, said.err) == (
            1, f"separate: {count} kernels; allowed: one, a name or a formula such as 'x**4'\n"
        )  # fmt: skip


def test_largest_n(capsys):
    _, said = answer(capsys, "largest-n", "linear", "x**4")
    assert table(said)[2:] == [["linear", "80", "20 to 80"], ["x**4", "2,680", "20 to 2,680"]]
    _, said = answer(capsys, "largest-n", "linear", "--level", "0.9", "--json")
    assert json.loads(said.out)["linear"]["largest_n"] == asep.largest_n("linear", level=0.9)


def test_success(capsys):
    _, said = answer(capsys, "success")
    assert table(said)[2] == ["probability", "0.763346"]
    _, said = answer(capsys, "success", "--fires", "exp", "--silent", "linear", "x**3", "--json")
    found = asep.success({"fires": "exp", "silent": ["linear", "x**3"]})
    assert json.loads(said.out)["probability"] == found.probability
    assert json.loads(said.out)["x**3 = 0 on D1"] == found.events["x**3 = 0 on D1"]


def test_needle(capsys):
    _, said = answer(capsys, "needle", "linear", "exp", "--mu", "5")
    assert table(said)[2:] == [["linear", "162.528"], ["exp", "186073"]]
    _, said = answer(capsys, "needle", "linear", "--mu", "5", "--n", "512", "--json")
    assert json.loads(said.out) == [{"kernel": "linear", "n = 512": needle.limit("linear", 5, 512)}]
    status, said = answer(capsys, "needle", "softmax", "--mu", "5")
    assert (status, said.err[:34]) == (1, "needle: kernel='softmax' has no li")


def test_recall(capsys):
    _, said = answer(capsys, "recall", "exp_sqrt_d", "--d", "16")
    assert table(said)[2:] == [["exp_sqrt_d", "295"]]
    given = ("recall", "delta", "--beta", "0.5", "--decay", "0.99", "--d", "16", "--trials", "500")
    _, said = answer(capsys, *given, "--n", "32", "--json")
    wanted = recall.accuracy(recall.delta(0.5, 0.99), 32, 16, trials=500)
    assert json.loads(said.out)[0]["value"] == wanted.value
    _, said = answer(
        capsys, "recall", "x", "--window", "8", "--decay", "0.9", "--d", "16", "--n", "9"
    )
    wanted = recall.accuracy(recall.decay(recall.window("x", 8), 0.9), 9, 16)
    assert table(said)[2][2] == f"{wanted.value:.6g}"
    for wrong in (
        ("x", "--beta", "1"),
        ("delta", "--window", "3"),
        ("least_squares", "--decay", "1"),
    ):
        assert answer(capsys, "recall", *wrong, "--d", "16")[0] == 1
