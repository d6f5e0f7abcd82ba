"""Breaks of the source, for what tests notice: which are drawn, and where they are found again."""

import ast

import pytest
from breaks.draw import COLUMNS, COUNT, SOURCE, breaks_of, draw, find, read_list

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


def test_the_draw_is_seeded_and_has_each_function_once(root):
    first = draw(root, 2, seed=4)
    assert first == draw(root, 2, seed=4)
    assert {one["function"] for one in draw(root, 2, seed=5)} == {"Shape.area", "outer.inner"}
    with pytest.raises(ValueError, match="larger"):
        draw(root, 3, seed=4)


def test_a_break_is_found_where_its_function_went(root):
    one = {"file": f"{SOURCE}/shapes/shape.py", "function": "Shape.area", "before": "return 0"}
    assert find(root, one)[0] == root / one["file"]
    (root / one["file"]).rename(root / SOURCE / "moved.py")
    assert find(root, one)[0] == root / SOURCE / "moved.py"
    assert find(root, one | {"function": "Shape.size"}) is None
    (root / SOURCE / "twice.py").write_text(TEXT)
    assert find(root, one) is None


def test_the_list():
    breaks = read_list()
    assert [one["number"] for one in breaks] == [str(k) for k in range(1, COUNT + 1)]
    assert len({(one["file"], one["function"]) for one in breaks}) == COUNT
    assert all(one.keys() == {*COLUMNS} and one["before"] != one["after"] for one in breaks)
