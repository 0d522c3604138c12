"""YAML is read by version 1.2's core schema, not by PyYAML's 1.1."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from base.params import ParamsError, parse_scalar
from base.params.yaml12 import Given, parse

where = "here:{}".format


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**50), 10**50))
def test_python_numbers_read_back_equal(number: float) -> None:
    assert parse_scalar(repr(number)) == number


def test_every_key_and_every_item_has_its_line_and_quotes_make_strings() -> None:
    assert parse("""['1', "true"]""", where).plain == ["1", "true"]
    document = parse("a: 1\n\nb:\n  c: [1,\n    2]\n", where)
    numbers = [Given(1, "here:4"), Given(2, "here:5")]
    assert document.value == {
        "a": Given(1, "here:1"),
        "b": Given({"c": Given(numbers, "here:4")}, "here:3"),
    }


def test_a_nested_key_given_twice_is_an_error() -> None:
    with pytest.raises(ParamsError, match=r"^here:3: a\.b: given twice, first on line 2$"):
        parse("a:\n  b: 1\n  b: 1", where)
