"""The contract's assertions explain themselves as those of a test module do."""

import pytest

pytest.register_assert_rewrite(
    "tests.contract.rules_contract",
    "tests.contract.views_contract",
    "tests.contract.errors_contract",
)
