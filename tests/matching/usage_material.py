"""The package's weights, as the tests of the matching rules read them."""

from pathlib import Path

from watcher.matching import usage_weights

WEIGHTS_TEXT = (Path(usage_weights.__file__).parent / "weights.toml").read_text(encoding="utf-8")
