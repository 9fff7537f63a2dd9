"""A user of verl and made changes, for the tests of rules."""

from msgspec.structs import replace

from tests.builders import make_change, shipped_profile
from tests.matching.usage_material import WEIGHTS_TEXT
from tests.usage_reading import read_usage
from watcher.matching.bm25 import corpus_of
from watcher.matching.document import document
from watcher.matching.rules.context import Surroundings, build_context
from watcher.matching.weights import parse_rank_weights
from watcher.usage.baseline import Baseline
from watcher.usage.examples import count_examples
from watcher.usage.import_graph import build_import_graph
from watcher.usage.read import Declared, UsageInput

VERL = shipped_profile("verl")
RUN = "python -m verl.trainer.main_ppo "
GRAPH = build_import_graph(
    [
        ("verl/trainer/main_ppo.py", "import verl.workers.near\nstart(config_name='ppo')"),
        ("verl/workers/near.py", "import verl.utils.far"),
        ("verl/utils/far.py", ""),
        ("verl/other/lone.py", ""),
        ("verl/models/qwen2_vl.py", ""),
        ("verl/models/gemma3.py", ""),
    ]
)
EXAMPLES = count_examples((f"{n}.sh", RUN + "a.common_key=word b.lr=1e-6") for n in range(50))
BASE = Baseline(upstream="verl-project/verl", defaults={"a.flag_x": "False"}, examples=EXAMPLES)
PLAIN = [document(make_change(n)) for n in range(40)]


def context(overrides="", *, code="", changes=(), run=RUN, **fields):
    declared = {name: fields.pop(name) for name in ("keywords", "paths", "gpus") if name in fields}
    inputs = [UsageInput("run.sh", run + overrides), UsageInput("my.py", code)]
    usage = read_usage(inputs, [VERL], declared=Declared(**declared), baselines=[BASE])
    corpus = corpus_of((*map(document, changes), *PLAIN))
    ranks = parse_rank_weights(WEIGHTS_TEXT)
    around = Surroundings(corpus=corpus, fields=ranks.fields, graph=GRAPH, **fields)
    return build_context(usage, VERL, around)


def change(title="x", *, facets=(), **fields):
    made = make_change(1, title=title, **fields)
    return replace(made, message=replace(made.message, facets=tuple(facets)))


def names(signals):
    return [one.name for one in signals]


def only(signals):
    (one,) = signals
    return one
