"""What the property tests share: a quick profile and an alphabet of awkward characters."""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

robust = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
"""Steady on a busy machine: no deadline, the same examples every time."""

awkward = st.sampled_from(
    list("aZvsx019 .:/@#+-_~=<>!$%&|;,*?^\\'\"`()[]{}\t\n\r\x00\x1b中é\u202e\U0001f600")
)
"""One character of those that parsers stumble over."""
