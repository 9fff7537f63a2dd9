import pytest

from watcher.facts.diff import Role
from watcher.history.roles import path_role


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("pkg/utils/shards.py", Role.SOURCE),
        ("csrc/attention/paged.cu", Role.SOURCE),
        ("pkg/tools/search.py", Role.SOURCE),
        ("tools/bisect.py", Role.EXAMPLE),
        ("examples/ppo/run.sh", Role.EXAMPLE),
        ("pkg/trainer/config/ppo.yaml", Role.CONFIG),
        ("tests/workers/data.json", Role.TEST),
        ("pkg/tests/helper.py", Role.TEST),
        (".github/workflows/unit.yml", Role.CI),
        (".pre-commit-config.yaml", Role.CI),
        ("setup.py", Role.BUILD),
        ("requirements-npu.txt", Role.BUILD),
        ("docker/Dockerfile.rocm", Role.BUILD),
        ("docs/conf.py", Role.DOCS),
        ("README.md", Role.DOCS),
        ("assets/weights.bin", Role.OTHER),
        ("", Role.OTHER),
    ],
)
def test_a_path_tells_what_the_file_is_for(path: str, role: Role) -> None:
    assert path_role(path) is role
