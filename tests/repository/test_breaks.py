"""Breaks of the source, for what tests notice: which are drawn, and how they are put in."""

import ast

import pytest
from breaks.draw import SOURCE, apply, breaks_of, draw, functions, head, statements

TEXT = '''
class Shape:
    """Of 3 sides."""

    def area(self, n):
        """At least 1."""
        if n < 1:
            raise ValueError(f"{n} is below {0 + 1}")
        elif not self.sides:  # a point
            return 0
        return n * (
            self.sides
        )

def outer(k):
    def inner(a: int, b):
        return a and b
    with inner(k, k):

        # A block follows.
        return inner
'''
STATEMENTS = {
    ("Shape.area", "if n < 1:"), ("Shape.area", "if not self.sides:"), ("Shape.area", "return 0"),
    ("Shape.area", "return n * self.sides"), ("outer.inner", "return a and b"),
}  # fmt: skip
"""Those that can be broken."""


@pytest.fixture
def root(tmp_path):
    (tmp_path / SOURCE / "shapes").mkdir(parents=True)
    (tmp_path / SOURCE / "shapes/shape.py").write_text(TEXT)
    return tmp_path


@pytest.mark.parametrize(
    ("statement", "after"),
    [
        ("x = a < b", {"x = a <= b"}),
        ("return a + b[2] * c", {"a - b[2] * c", "a + b[3] * c", "a + b[2] / c"}),
        ("if a or not b:\n    c = 1", {"not (a or not b):", "a and (not b):", "a or b:"}),
        ("x = [-k for k in a if k]", {"[k for k in a if k]", "[-k for k in a if not k]"}),
        ("x: Literal[1] = True", {"x: Literal[1] = False"}),
        ("x = 'a' + 'b' if k else f'{n}'", {"'a' + 'b' if not k else f'{n}'"}),
        ("x += zip(a, b, strict=True)", {"x -= zip(a, b, strict=True)"}),
        ("raise ValueError(1 + 2)", set()),
        ("warnings.warn(str(1))", set()),
        ("if TYPE_CHECKING:\n    import numpy", set()),
    ],
)
def test_breaks_of_a_statement(statement, after):
    (parsed,) = ast.parse(statement).body
    start = statement.partition(" ")[0] + " "
    wanted = {text if text.startswith(start) else f"x = {text}" for text in after}
    if start in ("return ", "if "):
        wanted = {start + text for text in after}
    assert {*breaks_of(parsed, branch=False)} == wanted


def test_the_draw_is_seeded_and_has_each_statement_once(root):
    def named(drawn):
        return [(one.function, one.before, one.after) for one in drawn]

    first = named(draw(root, 3, seed=4))
    assert first == named(draw(root, 3, seed=4))
    assert {each[:2] for each in named(draw(root, 5, seed=5))} == STATEMENTS
    with pytest.raises(ValueError, match="larger"):
        draw(root, 6, seed=4)


def test_a_break_changes_its_own_statement_alone(root):
    def texts():
        tree = ast.parse((root / SOURCE / "shapes/shape.py").read_text())
        return [ast.unparse(head(s)) for _, f in functions(tree) for s, _ in statements(f)]

    whole = texts()
    for one in draw(root, 5, seed=6):
        apply(root, one)
        changed = [text for text in texts() if text not in whole]
        assert changed == [one.after] or one.after == "pass"
        assert len(texts()) == len(whole)
        assert whole.count(one.before) == texts().count(one.before) + 1
        (root / SOURCE / "shapes/shape.py").write_text(TEXT)
