"""Small valid inputs of every target, and the fragments that inputs are spoiled with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType

from watcher.presence.lineage import Lineage
from watcher.presence.state import dump

SETTINGS = """[store]
url = "sqlite:///w.db"
[[pins]]
name = "engine"
upstream = "acme/engine"
ref = "v1.2.3"
git = "https://example.org/acme/engine.git"
[usage]
paths = ["run.sh"]
overrides = ["a.b=1"]
[digest]
at = "08:00"
timezone = "Europe/Berlin"
[schedule]
sync_every = "6h"
[[ignore]]
item = "engine#12"
reason = "no"
until = 2026-01-01
[profiles.engine]
branch = "main"
"""
PROFILE = """name = "engine"
upstreams = ["acme/engine"]
package = "engine"
title_pattern = '^(?P<type>fix|feat): (?P<text>.*)$'
tag_pattern = '^v(?P<version>\\\\d+(?:\\\\.\\\\d+)+)$'
[[facets]]
name = "lora"
words = "lora"
"""
ADVISORY = """[[advisory]]
slug = "engine-falls"
title = "The engine falls"
remedy = "hold it"
source = "https://example.org"
confidence = "high"
severity = "crash"
patterns = ["Engine \\\\d+ fell"]
[[advisory.packages]]
name = "engine"
affected = ">=1,<2"
[advisory.when]
all = ["actor.strategy == fsdp"]
"""
SHELL = """#!/bin/bash
set -x
export A="${B:-c d}" N=$((2*4))
python3 -m verl.trainer.main_ppo \\
  algorithm.adv=grpo 'data.files=[a,b]' \\
  +x.y="{k: 1}" trainer.n=$N $@ <<EOF
text
EOF
if [ "$1" = x ]; then torchrun --nproc_per_node=8 t.py --lr 1e-5; fi
"""
YAML = """defaults:
  - ppo
  - _self_
a: &x {b: [1, 2, ${c.d}], e: "f"}
g: *x
h: |
  text
<<: *x
"""
PYTHON = """from verl.trainer import main
import vllm.engine as e
cfg = OmegaConf.load("a.yaml")
cfg.actor.lr = 1e-5
class A(e.LLM):
    def step(self, x: int = 3): return super().step(x)
e.LLM.step = A.step
"""
REQUIREMENTS = """verl==0.7.0 ; python_version > "3.8"  # c
git+https://github.com/acme/engine@deadbeefdeadbeef#egg=engine
vllm @ https://example.org/vllm-0.8.5-cp311-linux.whl
-e ./engine
FROM verl/verl:vllm011
RUN pip install --no-deps "vllm>=0.8" && git clone https://github.com/a/verl && git checkout v0.7.0
[[package]]
name = "verl"
version = "0.7.0"
source = { git = "https://github.com/a/verl?rev=1#2" }
[submodule "x"]
\tpath = x
\turl = ../x.git
"""
LOG = """(WorkerDict pid=7, ip=10.0.0.1) ERROR 11-25 03:26:13 [core.py:708] EngineCore failed
[rank0]: Traceback (most recent call last):
[rank0]:   File "/usr/lib/python3/site-packages/verl/a.py", line 3, in f
[rank0]:     x = y
[rank0]: ray.exceptions.RayTaskError(KeyError): 'a'
│ /x/y.py:3 in f │
│ ❱ 3 │ boom() │
2026-01-01 10:00:00,000 - INFO - step:1 - actor/lr:0.1 - torch==2.5.1
RuntimeError: CUDA error: an illegal memory access (x.cu:92)
\x1b[31mred\x1b[0m actor_rollout_ref.rollout.name=vllm 8 GPUs
"""
MESSAGE = """[1/2][BREAKING][fsdp, vllm] fix: crash of `engine.step` (#12) (#34)

Fixes #7. Follow-up to #9, reverts "Add a thing that is (#5)", see
https://github.com/acme/engine/pull/3 and commit 0123456789abcdef. Introduced by acme/engine#4.

```python
#1
```
<!-- hidden -->
### Checklist
- [x] done
Co-authored-by: A <a@b.c>
(cherry picked from commit 0123456789abcdef0123456789abcdef01234567)
Pull Request resolved: https://github.com/acme/engine/pull/12
"""
DIFF = b"""\x01aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
diff --git a/src/a.py b/src/a.py
new file mode 100644
--- /dev/null
+++ b/src/a.py
@@ -0,0 +1,3 @@
+class A:
+    def f(self):
+        return self.config.x.y
\x01bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
diff --git "a/src/\\303\\244.py" b/src/b.py
similarity index 60%
rename from "src/\\303\\244.py"
rename to src/b.py
@@ -2 +2,2 @@ class A:
-    def f(self):
+    def g(self, x):
+        # why
\\ No newline at end of file
\x02src/c.py\x00missing
diff --git a/x.bin b/x.bin
Binary files a/x.bin and b/x.bin differ
"""
FORM = """name: Bug
title: "[Bug]: "
body:
  - type: textarea
    attributes:
      label: Your environment
    validations:
      required: true
  - type: checkboxes
    attributes: {label: Check, options: [{label: done}]}
"""
MARKDOWN = """---
title: '[BUG]'
---
# Head <script>alert(1)</script>
**Describe the bug**
[a](javascript:alert(1)) ![i](http://x/y.png) <img src=x onerror=1> `code` ```
| a | b |
|---|---|
| 1 | \x1b[31m\u202e |
diff --git a/x.py b/x.py
@@ -1,2 +3,4 @@ def f
-a
+b secret=abcdefghijklmnopqrstuvwxyz012345 me@example.org 10.0.0.1
"""
ISSUE = {
    "number": 5, "title": "x", "body": "RuntimeError: y\n" * 3, "state": "OPEN",
    "createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-02T00:00:00+02:00",
    "labels": {"nodes": [{"name": "bug"}]}, "reactions": {"totalCount": 3},
    "comments": {"totalCount": 1, "nodes": [{"body": "z"}]}, "stateReason": None,
    "timelineItems": {"nodes": [{"__typename": "CrossReferencedEvent", "source": {"number": 3}}]},
    "closingIssuesReferences": {"nodes": [{"number": 3, "title": "t", "state": "CLOSED"}]},
    "reviews": {"nodes": [{"body": "r", "comments": {"nodes": [{"body": "c"}]}}]},
}  # fmt: skip

SEEDS: Mapping[str, tuple[bytes, ...]] = MappingProxyType(
    {
        "settings_toml": (SETTINGS.encode(),),
        "profile_toml": (PROFILE.encode(),),
        "advisory_toml": (ADVISORY.encode(),),
        "usage_file": (SHELL.encode(), YAML.encode(), PYTHON.encode()),
        "pin_file": (REQUIREMENTS.encode(), SHELL.encode(), json.dumps({"a": [1]}).encode()),
        "version": (
            b"1.2.3.post4",
            b"v0.8.5rc1",
            b">=1,<2",
            b"nightly-20260101",
            b"a/b:v1@sha256:0",
        ),
        "log": (LOG.encode(),),
        "item_name": (b"verl#12", b"verl@0123abcd", b"verl=v0.7.0", b"2026-01-01"),
        "message": (MESSAGE.encode(),),
        "diff": (DIFF,),
        "lineage_state": (dump(Lineage()),),
        "github_json": (json.dumps(ISSUE).encode(), json.dumps([ISSUE]).encode()),
        "issue_body": (LOG.encode(), MARKDOWN.encode()),
        "issue_form": (FORM.encode(), MARKDOWN.encode()),
        "shown_text": (MARKDOWN.encode(), LOG.encode()),
        "shown_markup": (MARKDOWN.encode(),),
    }
)
"""Target -> valid inputs."""

_WORDS = """
[ ] { } ( ) " ' ` ``` < > | & && ; $ ${ $( $(( )) \\ # ## #1 @ @@ +++ --- a/ b/ *x &x - ? : 0 -1
1e999 99999999999999999999 nan . .. ../ // = == += null true [[ ]] [[advisory]] %00 %s {0} <!-- -->
<script> javascript: https://github.com/ \x01 \x02 \x1b[31m \x1b]0; \u202e \ufeff é 中 \U0001f600
"""
FRAGMENTS = (
    *(word.encode() for word in _WORDS.split()),
    *(b"\n", b"\r", b"\t", b" ", b"\x00", b"\xff", b"\\\n", b"<<END\n"),
    *(b"<<: ", b"!!python/name:os "),
    *(b"@@ -1 +1 @@\n", b"@@ -999999999,9 +1 @@\n", b"diff --git ", b'File "', b"Traceback (most"),
)
"""What is put into inputs."""

_UNITS = [
    "[",
    "{",
    "(",
    '{"a":',
    "a=[",
    "a.",
    "&a",
    "<a",
    "|",
    "!",
    "**a",
    "#",
    "`",
    "\\",
    "a=",
    "-",
    "*",
    "0",
    "\x1b[",
    "\x1b]",
    "<!--",
    "<details>",
    "$(",
    "${x:-",
    "${",
    "lambda:",
    "x=(",
    "[](",
]
_LINES = ("a\n", "- ", "> ", "* ", "[a, ", "not ", "|a\n|-\n", "@@ -1 +1 @@\n", "if x: ", "1. ")
_MORE = (
    " ",
    "\n\t",
    "\x00",
    "a: &a [*a, ",
    "x = (",
    'Revert "',
    "lambda: ",
    "\u202e",
    "中",
    "a:\n ",
)


def deep(times: int) -> list[bytes]:
    """Nested and long inputs: recursion, and time that grows faster than the input."""
    units = (*_UNITS, *_LINES, *_MORE)
    nested = [
        b"a = " + b"[" * times,
        b"a = " + b"{b=" * times,
        b"a: " + b"[" * times + b"]" * times,
    ]
    return nested + [(unit * times + end).encode() for unit in units for end in ("", "x\n")]
