"""Names that the newest releases of frameworks log and the catalog does not understand.

    python -m benchmarks.reading.new_names [FOLDER]

FOLDER holds wheels, or source trees called by the framework; without one, the newest wheels are
downloaded into a folder that is removed again. Names are the texts by which the source fills a
dictionary of metrics: `metrics["actor/lr"]`, `{"perf/mfu": ...}`, `log_metric("kl", ...)`. A name
without a metric has its reason in the tool's file (`none (reason): name`); the others are printed.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from runvitals import catalog

# A framework of the catalog: what it is called where it is published, where in it metrics are made, and
# what it puts in front of their names later on, or around them (`*`).
FRAMEWORKS = {
    "trl": ("trl", r"trl/(trainer|experimental)/", "eval_"),
    "verl": (
        "verl",
        r"verl/(trainer|workers|experimental|utils/(metric|profiler))",
        "timing_s/ fully_async/ actor/ critic/ rollout_corr/ training/ rollout/moe val-aux/set/acc/ "
        "training",
    ),
    "skyrl": (
        "skyrl",
        r"skyrl/(train|backends)/",
        "policy/ critic/ generate/ timing/ eval/all/ reward/",
    ),
    "areal": (
        "areal",
        r"areal/(trainer|engine|infra|utils/stats)",
        "ppo_actor/update/*/avg ppo_actor/update/ ppo_actor/update/compute_logp/*/avg rw/*/avg "
        "dpo/*/avg ppo_actor/update/version_stats/ ppo_critic/update/*/avg rollout/*/avg",
    ),
    "openrlhf": ("openrlhf", r".*openrlhf/(trainer|utils)/", "eval_ train/"),
    "ms-swift": (
        "ms-swift",
        r"swift/(rlhf_trainers|trainers|megatron/trainers)/",
        "eval_ rollout_correction/",
    ),
    "rsl-rl": ("rsl-rl-lib", r"rsl_rl/", "Loss/ Train/ Perf/"),
    "skrl": ("skrl", r"skrl/(agents|trainers|multi_agents)/", ""),
    "prime-rl": ("prime-rl", r"src/prime_rl/(trainer|orchestrator|utils)/", "train/set/all"),
    "nemo-rl": (
        "nemo-rl",
        r"nemo_rl/(algorithms|experience|utils/logger|models/policy)",
        "train/ performance/ timing/ validation/",
    ),
    "slime": ("slime", r"slime/(backends|ray|rollout|utils)/", "train/ rollout/ perf/"),
}
_PATH = re.compile(r"/?[A-Za-z][\w@.\-]*(?: ?/ ?[\w@.\-]+(?: [\w.\-()]+)*)+")
_BARE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
_NO_METRIC = re.compile(
    r".*(?:\.log|_state|_ids|_path|_func|_metrics|_metadata|_dict"
    r"|_group|_idx|_logs|_mask|-stream| .*ing)"
)
_HOLDERS = re.compile(r"metrics|stats|status|timing", re.IGNORECASE)
_SINKS = re.compile(r"log_metrics?|record|scalar|add_scalar|track_data|log", re.IGNORECASE)


def names_in(source: str) -> set[str]:
    """The names of metrics in one file of source."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return set()
    return {name for node in ast.walk(tree) for name in _named(node)}


def _named(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Subscript):
        yield from _text(node.slice, bare=_HOLDERS.search(ast.unparse(node.value)) is not None)
    elif isinstance(node, ast.Dict):
        for key in node.keys:
            if key is not None:
                yield from _text(key, bare=False)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        bare = _HOLDERS.search(ast.unparse(node.func.value)) is not None
        if node.args and _SINKS.fullmatch(node.func.attr):
            yield from _text(node.args[0], bare=bare)
        if bare and node.func.attr in ("stat", "scalar"):  # AReaL names them as arguments
            yield from (word.arg for word in node.keywords if word.arg and "_" in word.arg)


def _text(node: ast.expr, *, bare: bool) -> Iterator[str]:
    """The name that an expression spells, placeholders filled with a number; none if it is no name.

    A placeholder in front of everything else is left off: what it holds comes from elsewhere.
    """
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        name = node.value
    elif isinstance(node, ast.JoinedStr):
        parts = [str(one.value) if isinstance(one, ast.Constant) else "" for one in node.values]
        glued = [
            *(part[:1].isalpha() for part in parts[1:]),
            False,
        ]  # `{tag}grad_norm`: mostly none
        name = parts[0] + "".join(
            part or ("" if tag else "4") for part, tag in zip(parts[1:], glued[1:], strict=True)
        )
    else:
        return
    spelt = _PATH.fullmatch(name) or (bare and _BARE.fullmatch(name))
    if spelt and len(name) <= 80 and not _NO_METRIC.fullmatch(name) and "/4/" not in f"/{name}/":
        yield name


def sources(folder: Path, published: str, inside: str) -> Iterator[str]:
    """The files of one framework that make metrics."""
    wanted = re.compile(inside)
    stem = published.replace("-", "_")
    for path in sorted(folder.iterdir()):
        if not path.name.lower().replace("-", "_").startswith(stem):
            continue
        if path.suffix == ".whl":
            with zipfile.ZipFile(path) as wheel:
                for name in wheel.namelist():
                    if name.endswith(".py") and wanted.match(name):
                        yield wheel.read(name).decode("utf-8", "replace")
        elif path.is_dir():
            for file in path.rglob("*.py"):
                if wanted.match(file.relative_to(path).as_posix()):
                    yield file.read_text(encoding="utf-8", errors="replace")


def not_understood(framework: str, names: set[str]) -> list[str]:
    """Those that the catalog has neither a metric nor a reason for, in order."""
    prefixes = ("", *FRAMEWORKS[framework][2].split())
    return sorted(
        name.removeprefix("/")
        for name in names
        if not any(
            _meant(form.replace("*", name).removeprefix("/"), framework)
            for form in (one if "*" in one else f"{one}*" for one in prefixes)
        )
    )


def _meant(name: str, framework: str) -> bool:
    if catalog.resolve(name, framework=framework) is not None:
        return True
    return any(tool == framework for tool, _ in catalog.candidates(name))


def download(folder: Path) -> None:
    """The newest wheel of each framework that is published as one."""
    for published, *_ in FRAMEWORKS.values():
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder)]
        if subprocess.run([*command, published], check=False, capture_output=True).returncode:
            print(f"{published}: no wheel could be had; give a folder with its source")


def report(folder: Path) -> int:
    """Print what is left of each framework; gives how many names that is."""
    count = 0
    for framework, (published, inside, _) in FRAMEWORKS.items():
        names = {name for text in sources(folder, published, inside) for name in names_in(text)}
        left = not_understood(framework, names)
        count += len(left)
        print(f"{framework}: {len(names)} names, {len(left)} left")
        for name in left:
            print(f"    {name}")
    return count


def main() -> None:
    if len(sys.argv) > 1:
        report(Path(sys.argv[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        download(Path(folder))
        report(Path(folder))


if __name__ == "__main__":
    main()
