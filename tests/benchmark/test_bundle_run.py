"""The bundle's `run` on stand-ins for a GPU's machine: what it checks first, and what it runs."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RUN = ROOT / "code/benchmark/bundle/run"


def script(path: Path, body: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)


class Machine:
    """A folder with an unpacked bundle, and another that is the machine's PATH."""

    def __init__(self, folder: Path) -> None:
        self.bundle = folder / "a bundle"
        self.path = folder / "bin"
        self.system = "/usr/bin:/bin"
        self.log = folder / "log.txt"
        script(self.bundle / "run", "")
        (self.bundle / "run").write_bytes(RUN.read_bytes())
        (self.bundle / "lib").mkdir()
        (self.bundle / "about").write_text(
            "commit='0123abc'\ncuda_major=13\nleast_driver=580\nbuilt_glibc=2.36\n",
            encoding="utf-8",
        )
        for part in ("chapters", "describe"):
            (self.bundle / part).mkdir()
        self.reproduce("exit 0")
        script(self.path / "nvidia-smi", "echo 580.159.03")
        script(self.path / "getconf", "echo glibc 2.39")

    def reproduce(self, ending: str) -> None:
        """What stands in for the runner: it notes its arguments, and where it would look for libraries."""
        results = f"{self.bundle}/results/gpu"
        writes = f'mkdir -p "{results}" && echo "$LD_LIBRARY_PATH" >"{results}/chapter6.json"'
        script(self.bundle / "reproduce", f'printf "[%s]" "$@" >>"{self.log}"\n{writes}\n{ending}')

    def environment(self) -> dict[str, str]:
        return {"PATH": f"{self.path}:{self.system}", "TMPDIR": str(self.bundle.parent)}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.bundle / "run", *arguments],
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def hide(self, tool: str) -> None:
        """Leaves one of the system's tools out, which may be installed on this machine."""
        system = self.bundle.parent / "system"
        system.mkdir()
        for other in Path("/usr/bin").iterdir():
            if other.name != tool:
                (system / other.name).symlink_to(other)
        self.system = str(system)

    def ran(self) -> str:
        return self.log.read_text(encoding="utf-8") if self.log.exists() else ""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_the_runner_is_told_what_the_bundle_was_built_from(machine: Machine) -> None:
    done = machine.run()
    assert done.returncode == 0, done.stderr
    output = f"[--output][{machine.bundle}/results][--commit][0123abc]"
    assert machine.ran() == f"[check][measure]{output}"
    assert f"Copy {machine.bundle}/results to build/results" in done.stderr
    assert (machine.bundle / "results/gpu/chapter6.json").read_text().startswith(f"{machine.bundle}/lib")


def test_the_runners_status_is_passed_on(machine: Machine) -> None:
    machine.reproduce("exit 130")
    assert machine.run().returncode == 130


@pytest.mark.parametrize("part", ["about", "reproduce", "chapters"])
def test_a_bundle_that_is_not_whole_gets_one_line(machine: Machine, part: str) -> None:
    (machine.bundle / part).rename(machine.bundle / "elsewhere")
    refused = machine.run()
    assert refused.returncode == 1
    assert refused.stderr == f"run: {machine.bundle}/{part} is missing: unpack the bundle anew\n"
    assert machine.ran() == ""


def test_counters_without_ncu_get_one_line(machine: Machine) -> None:
    machine.hide("ncu")
    refused = machine.run("--counters")
    assert refused.returncode == 1
    assert refused.stderr.startswith("run: no ncu on PATH") and refused.stderr.count("\n") == 1
    assert machine.ran() == ""


def test_counters_are_passed_on(machine: Machine) -> None:
    script(machine.path / "ncu", "exit 0")
    assert machine.run("--counters").returncode == 0
    assert machine.ran().startswith("[check][measure][count]")


@pytest.mark.parametrize(
    ("tool", "answer", "words"),
    [
        ("nvidia-smi", "exit 9", "no NVIDIA GPU with a driver"),
        ("nvidia-smi", "echo 'NVIDIA-SMI has failed'", "no NVIDIA GPU with a driver"),
        ("nvidia-smi", "echo 575.57.08", "the driver is 575.57.08"),
        ("getconf", "echo glibc 2.35", "glibc here is 2.35"),
        ("getconf", "echo glibc 2.4", "glibc here is 2.4"),
        ("getconf", "exit 1", "glibc here is not there"),
    ],
)
def test_a_machine_that_cannot_run_it_gets_one_line(
    machine: Machine, tool: str, answer: str, words: str
) -> None:
    script(machine.path / tool, answer)
    done = machine.run()
    assert done.returncode == 1
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert machine.ran() == ""


@pytest.mark.parametrize("glibc", ["2.36", "2.40", "3.0"])
def test_a_newer_glibc_is_no_obstacle(machine: Machine, glibc: str) -> None:
    script(machine.path / "getconf", f"echo glibc {glibc}")
    assert machine.run().returncode == 0


def test_without_cublas_a_line_says_so(machine: Machine) -> None:
    script(machine.path / "ldconfig", "exit 0")
    if not Path("/usr/local/cuda/lib64/libcublas.so.13").exists():
        assert "no cuBLAS" in machine.run().stderr
    (machine.bundle / "lib/libcublas.so.13").touch()
    assert "no cuBLAS" not in machine.run().stderr


def test_the_sanitizer_runs_instead(machine: Machine) -> None:
    assert machine.run("--sanitize").returncode == 0
    assert machine.ran().startswith("[sanitize][--output]")


def test_an_unknown_option_gets_one_line_and_status_2(machine: Machine) -> None:
    done = machine.run("--faster")
    assert done.returncode == 2
    assert done.stderr == "run: --faster is no option (--help lists them)\n"
