"""Completions, in the shells themselves."""

import os
import pty
import select
import shutil
import subprocess
import time

import pytest
from harness.command import Command
from harness.programs import binaries
from harness.waiting import PATIENCE

CASES = [
    ("mero-consent sess", {"session"}),
    ("mero-consent session ", {"add", "list", "renew", "remove"}),
    ("mero-consent --json session r", {"renew", "remove"}),
    ("mero-consent request createI", {"createInvite"}),
    ("mero-consent request create-org --na", {"--name"}),
    ("mero-consent list --state a", {"approved"}),
    ("mero-consent -s one list --st", {"--state"}),
    ("mero-consent completions ", {"bash", "zsh", "fish"}),
    ("mero-consent help req", {"request"}),
    ("mero-consent list --session t", {"two"}),
    ("mero-consent session remove ", {"one", "two"}),
    ("mero-consent request acceptInvite --tok", {"--token-file"}),
]


@pytest.fixture
def cli(home):
    """With two sessions, whose names are completed without a daemon."""
    folder = home / "mero-consent" / "cli"
    for path in (folder.parent, folder):
        path.mkdir(mode=0o700)
    for name in ("one", "two"):
        (folder / name).write_text("key")
        (folder / name).chmod(0o600)
    command = Command(home)
    command.environment["PATH"] = f"{binaries()}:/usr/bin:/bin"
    command.script = {}
    for shell in ("bash", "zsh", "fish"):
        ended = command("completions", shell)
        assert ended.code == 0 and ended.err == ""
        command.script[shell] = home / f"_{'mero-consent' if shell == 'zsh' else shell}"
        command.script[shell].write_text(ended.out)
    return command


def needs(shell):
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not installed")


def output(cli, *words):
    ended = subprocess.run(
        words, env=cli.environment, cwd=cli.home, capture_output=True, text=True, timeout=PATIENCE)
    assert ended.stderr == "", ended.stderr
    return ended.stdout


@pytest.mark.parametrize("line, expected", CASES)
def test_bash(cli, line, expected):
    words = line.split(" ")
    script = (
        f"set -u; source {cli.script['bash']}; COMP_WORDS=({' '.join(words[:-1])} {words[-1]!r});"
        f"COMP_CWORD={len(words) - 1}; _mero_consent; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
    found = output(cli, "bash", "-c", script).split()
    # An argument may be followed by options; a word of ours is never missing or made up.
    assert {word for word in found if expected & {word} or not word.startswith("-")} == expected


@needs("fish")
@pytest.mark.parametrize("line, expected", CASES)
def test_fish(cli, line, expected):
    found = output(
        cli, "fish", "--no-config", "-c",
        f"source {cli.script['fish']}; complete --do-complete={line!r}").splitlines()
    words = {entry.split("\t")[0] for entry in found}
    assert {word for word in words if expected & {word} or not word.startswith("-")} == expected


def typed(cli, shell, start, keys, expected):
    """What an interactive shell shows after `keys`."""
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(cli.home)
        os.execvpe(shell[0], shell, cli.environment | {"PS1": "$ ", "TERM": "dumb"})
    shown = b""
    deadline = time.monotonic() + PATIENCE
    try:
        os.write(master, (start + "; echo rea''dy\n").encode())
        sent = False
        while expected.encode() not in shown.split(b"ready")[-1] or not sent:
            assert time.monotonic() < deadline, shown.decode(errors="replace")
            if select.select([master], [], [], 0.1)[0]:
                shown += os.read(master, 4096)
            if not sent and b"ready" in shown:
                os.write(master, keys.encode())
                sent = True
    finally:
        os.close(master)
        os.kill(pid, 9)
        os.waitpid(pid, 0)


def test_bash_at_the_prompt(cli):
    typed(cli, ["bash", "--norc", "--noprofile", "-i"], f"source {cli.script['bash']}",
          "mero-consent request create-org --na\t", "create-org --name ")
    typed(cli, ["bash", "--norc", "--noprofile", "-i"], f"source {cli.script['bash']}",
          "mero-consent list --state=app\t", "--state=approved ")
    typed(cli, ["bash", "--norc", "--noprofile", "-i"], f"source {cli.script['bash']}",
          "mero-consent session add x --release _ba\t", "--release _bash ")


@needs("zsh")
@pytest.mark.parametrize("line, expected", [
    ("sess", "session "), ("session rem", "remove "), ("request createI", "createInvite "),
    ("request create-org --na", "--name "), ("list --state app", "approved "),
    ("list --session t", "--session two "), ("session remove o", "remove one "),
    ("--json request accept-invite --tok", "--token-file "),
])
def test_zsh_at_the_prompt(cli, line, expected):
    start = f"fpath=({cli.home} $fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word"
    typed(cli, ["zsh", "-f", "-i"], start, f"mero-consent {line}\t", expected)
