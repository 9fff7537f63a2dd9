"""Launch scripts become settings, programs and environment."""

from watcher.usage.launch import read_launch_script

SCRIPTS = {"vllm": "vllm.entrypoints.cli.main"}


def read(text):
    return read_launch_script(text, "run.sh", SCRIPTS)


def settings(text):
    return {item.key: item.value for item in read(text).settings}


def test_hydra_overrides_are_settings_with_their_lines():
    reading = read(
        "python3 -m verl.trainer.main_ppo \\\n a.b=1 \\\n +c.d=x ++e.f='y z' ~critic \\\n $@"
    )

    assert [(item.key, item.value, item.source.line) for item in reading.settings] == [
        ("a.b", "1", 2),
        ("c.d", "x", 3),
        ("e.f", "y z", 3),
        ("critic", "", 3),
    ]
    assert [item.is_removed for item in reading.settings] == [False, False, False, True]
    assert [item.is_added for item in reading.settings] == [False, True, True, False]
    assert [module for module, _ in reading.entry_points] == ["verl.trainer.main_ppo"]


def test_flags_of_a_server_are_settings_without_dashes():
    assert settings(
        "vllm serve Qwen/Q --tensor-parallel-size 2 --dtype=bfloat16 --enable-lora"
    ) == {
        "model": "Qwen/Q",
        "tensor-parallel-size": "2",
        "dtype": "bfloat16",
        "enable-lora": "true",
    }


def test_a_negative_number_is_a_value_and_a_flag_is_not():
    assert settings("vllm serve m --seed -1 --eager --max 4") == {
        "model": "m",
        "seed": "-1",
        "eager": "true",
        "max": "4",
    }


def test_torchrun_names_its_processes_and_its_module():
    reading = read("torchrun --nnodes=2 --nproc_per_node 8 -m verl.trainer.sft_trainer x.y=1")

    assert {item.key: item.value for item in reading.settings} == {
        "nnodes": "2",
        "nproc_per_node": "8",
        "x.y": "1",
    }
    assert reading.entry_points[0][0] == "verl.trainer.sft_trainer"


def test_a_program_behind_a_job_runner_is_found():
    reading = read("ray job submit --no-wait -- env A=1 python -m verl.trainer.main_ppo a.b=2")

    assert [module for module, _ in reading.entry_points] == ["verl.trainer.main_ppo"]
    assert ("A", "1") in [(name, value) for name, value, _ in reading.environment]


def test_plain_shell_with_equal_signs_is_no_setting():
    assert settings("dd if=/dev/zero of=x\nset -x\nls --color=auto") == {}


def test_a_setting_without_a_known_value_is_told():
    reading = read("python -m verl.trainer.main_ppo trainer.nnodes=$NODES")

    ((source, reason),) = reading.not_understood
    assert str(source) == "run.sh:1"
    assert reason == "trainer.nnodes: no value known for NODES"


def test_a_batch_system_is_asked_for_machines_and_devices():
    text = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gres=gpu:4\npython -m x a.b=1"

    assert settings(text) == {"nodes": "2", "gpus-per-node": "4", "a.b": "1"}
