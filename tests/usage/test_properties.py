"""Whatever stands in a file, reading it ends and raises nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import shipped_profile
from tests.properties import awkward, robust
from tests.usage_reading import read_usage
from watcher.usage.codec import usage_from_json, usage_to_json
from watcher.usage.read import UsageInput

TEXT = st.one_of(st.text(max_size=200), st.lists(awkward, max_size=120).map("".join))
PROFILES = [shipped_profile("verl")]


@pytest.mark.parametrize("name", ["a.sh", "a.yaml", "a.py"])
@robust
@given(text=TEXT)
def test_any_text_can_be_read(name, text):
    found = read_usage([UsageInput(name, text)], PROFILES)

    assert usage_from_json(usage_to_json(found)) == found
