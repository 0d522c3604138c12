"""The contract's assertions are rewritten by pytest as in a test module."""

import pytest

pytest.register_assert_rewrite(
    "tests.contract.rules_contract",
    "tests.contract.views_contract",
    "tests.contract.errors_contract",
)
