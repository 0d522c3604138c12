"""The contract's assertions explain themselves as those of a test module do."""

import pytest

pytest.register_assert_rewrite("tests.contract.game_contract")
