"""What the command line says of words that it does not take."""

import pytest

from attention_separation.__main__ import main


@pytest.mark.parametrize(
    "words",
    [
        ["separate", "-x**2"],
        ["largest-n", "exp", "-(x-3)"],
        ["needle", "-x", "--mu", "5"],
        ["recall", "-x", "--d", "16"],
    ],
)
def test_a_formula_that_begins_with_a_minus_is_told_of_two_of_them(words, capsys):
    with pytest.raises(SystemExit):
        main(words)
    error = capsys.readouterr().err
    formula = next(word for word in words if word.startswith("-"))
    assert f"a formula that begins with a minus comes after --: -- {formula}" in error
    with pytest.raises(SystemExit):
        main(["separate", "exp", "--theta", "-1", "--nothing", "-2"])
    assert "begins with a minus" not in capsys.readouterr().err
