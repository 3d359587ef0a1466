"""Published results name commits whose programs were measured: each can be looked up in the history."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.book.invented import REPOSITORY

REBASED = {"2bcd68e": "9353deb"}
"""Commits that were rebased after programs of theirs were measured, and what became of them.

2bcd68e: chapter 5's ring was measured at 05:06 on 2026-11-24. 9353deb was written at 05:04 and rebased at
06:50. The fingerprints of these results are those of the programs as they are built now.
"""


def history(root: Path) -> frozenset[str]:
    """The hashes of all commits that lead to HEAD; skips the test where they are not at hand."""

    def git(*words: str) -> str:
        # A repository that the book merely lies in is not the book's.
        around = os.environ | {"GIT_CEILING_DIRECTORIES": str(root.parent)}
        command = ["git", "-C", str(root), "-c", f"safe.directory={root}", *words]
        return subprocess.run(command, env=around, capture_output=True, text=True, check=True).stdout

    try:
        if git("rev-parse", "--is-shallow-repository").strip() == "true":
            pytest.skip("this clone is shallow: `git fetch --unshallow` brings the commits that results name")
        return frozenset(git("rev-list", "HEAD").split())
    except (FileNotFoundError, subprocess.CalledProcessError):
        pytest.skip("there is no git, or no history: the commits that results name cannot be looked up")


def commits(document: Mapping[str, Any]) -> Counter[str]:
    """The commits that a chapter's results name, and how often."""
    entries = (document["provenance"], *document["measurements"], *document["counters"])
    return Counter(entry["commit"] for entry in entries if entry.get("commit"))


def problems(named: Mapping[str, Counter[str]], known: frozenset[str]) -> list[str]:
    """What is wrong with the commits that files name, a line for each file and commit."""
    found = []
    for file, counted in named.items():
        for commit, times in counted.items():
            digits = commit.removesuffix("-dirty")
            now = REBASED.get(digits, digits)
            fitting = sum(full.startswith(now) for full in known) if len(now) >= 7 else 0
            if fitting != 1:
                what = "several commits" if fitting else "no commit"
                found.append(f"{file}: {commit}, named {times} times, is {what} of this history")
    return found


@pytest.fixture(scope="module")
def published() -> dict[str, Counter[str]]:
    paths = sorted((REPOSITORY / "figures/data").glob("*/chapter*.json"))
    assert paths, "no published results"
    return {str(path.relative_to(REPOSITORY)): commits(json.loads(path.read_text())) for path in paths}


def test_published_results_name_commits_of_the_history(published: dict[str, Counter[str]]) -> None:
    wrong = problems(published, history(REPOSITORY))
    assert not wrong, "\n".join(["published results name commits that cannot be looked up:", *wrong])


def test_commits_that_were_rebased_are_still_named(published: dict[str, Counter[str]]) -> None:
    named = {commit.removesuffix("-dirty") for counted in published.values() for commit in counted}
    assert REBASED.keys() <= named, "REBASED has commits that no published result names"


@pytest.mark.parametrize(
    ("commit", "problem"),
    [
        ("540031ea3f6d", ""),
        ("540031e", ""),
        ("540031ea3f6d-dirty", ""),
        ("2bcd68e", ""),
        ("540031e48b6f", "no commit"),
        ("540031ea3f6d0", "no commit"),
        ("5400", "no commit"),
        ("unknown", "no commit"),
        ("abcdef0", "several commits"),
    ],
)
def test_a_commit_that_is_none_is_found(commit: str, problem: str) -> None:
    known = {"540031ea3f6d": "1", "9353deb": "2", "abcdef01": "3", "abcdef02": "4"}
    full = frozenset(start.ljust(40, digit) for start, digit in known.items())
    expected = [f"chapter5.json: {commit}, named 2 times, is {problem} of this history"] if problem else []
    assert problems({"chapter5.json": Counter([commit, commit])}, full) == expected


@pytest.mark.parametrize("place", ["provenance", "measurements", "counters"])
def test_commits_are_looked_for_wherever_results_name_them(place: str) -> None:
    document: dict[str, Any] = {"provenance": {"commit": None}, "measurements": [{}], "counters": [{}]}
    assert not commits(document)
    document[place] = {"commit": "0123abc"} if place == "provenance" else [{}, {"commit": "0123abc"}]
    assert commits(document) == {"0123abc": 1}


def test_without_a_whole_history_the_reason_is_said(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org")
        subprocess.run(["git", *who, *words], check=True, capture_output=True)

    whole, inside, shallow = tmp_path / "whole", tmp_path / "whole" / "tarball", tmp_path / "shallow"
    git("init", "--quiet", str(whole))
    for message in ("first", "second"):
        git("-C", str(whole), "commit", "--quiet", "--allow-empty", "--message", message)
    git("clone", "--quiet", "--depth", "1", whole.as_uri(), str(shallow))
    inside.mkdir()
    assert len(history(whole)) == 2
    for root, reason in ((inside, "no history"), (shallow, "shallow")):
        with pytest.raises(pytest.skip.Exception, match=reason):
            history(root)
