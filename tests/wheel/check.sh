#!/usr/bin/env bash
# The wheel stands alone: built twice alike, installed into an empty environment, the demo runs from it.
set -euo pipefail
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export SOURCE_DATE_EPOCH=1767225600
for n in 1 2; do
    "$PYTHON" -m build --wheel --no-isolation --outdir "$scratch/$n" . > /dev/null
done
cmp "$scratch"/1/*.whl "$scratch"/2/*.whl
"$PYTHON" -m venv "$scratch/env"
"$scratch/env/bin/python" -m pip install --quiet --disable-pip-version-check -c constraints.txt "$scratch"/1/*.whl
cd "$scratch"
"$scratch/env/bin/watcher" demo > demo.txt
grep -q 'rltrain#17' demo.txt
"$scratch/env/bin/python" - <<'PY'
from watcher.adapters.files import data_directory
assert (data_directory("migrations") / "env.py").is_file()
assert any(data_directory("templates").rglob("*"))
PY
echo "wheel: reproducible, complete, runs"
