#!/usr/bin/env python3
"""Keeps a node for development and the daemon running, and prints what to type: `make run`.

Every line that is no comment works as it is printed. Interrupting it ends both programs and
removes what they have written.
"""

import json
import shlex
import shutil
import signal
import tempfile
from pathlib import Path

from harness.api import Session, opening, path
from harness.programs import ROOT, Daemon, Node, binaries


def curl(comment, *words):
    print(f"\n# {comment}\ncurl -sw '\\n' {shlex.join(words)}", flush=True)


def command(home, node, daemon):
    """The session's key is kept in the folder that goes with this program."""
    file = home / "node.json"
    file.touch(0o600)
    file.write_text(json.dumps(node.ready))
    program = [str(binaries() / "mero-consent"), "--socket", daemon.socket]
    add = [*program, "session", "add", "notes", "--token-file", "-", "--node", node.ready["url"],
           "--package", node.ready["package"], "--return-to", node.ready["returnTo"],
           "--development"]
    ask = [*program, "request", "createOrg", "--name", "Acme", "--no-open"]
    runtime = f"XDG_RUNTIME_DIR={shlex.quote(str(home))}"
    print(f"\n# the same from the command line. What an app knows after its sign-in is in {file}")
    print(f"jq -r .accessToken {shlex.quote(str(file))} | {runtime} {shlex.join(add)}")
    print(f"\n# ask, and wait until you have decided on the page\n{runtime} {shlex.join(ask)}")


def example(home, node, daemon):
    """With tokens of an account of its own: another's request would replace this one's."""
    file = home / "session.json"
    file.touch(0o600)
    file.write_text(json.dumps(opening(node) | tokens(node)))
    program = ["python3", str(ROOT / "Examples" / "python" / "create_org.py"), str(file), "Acme"]
    print(f"\n# the example in Python: what opens a session is in {file}")
    print(f"S={shlex.quote(daemon.socket)} {shlex.join(program)}")


def tokens(node):
    """Of a new account."""
    made = node.control("tokens")
    made.pop("account")
    return made


def explain(node, daemon, app):
    key = ["-H", f"Authorization: Bearer {app.key}"]
    api = ["--unix-socket", daemon.socket]
    body = {"request": {"kind": "createOrg", "name": "Acme"}}
    view = app.start(**body)
    request = path(view["requestId"])

    body_of_another = app.opening | tokens(node)

    print(f"The node is at {node.ready['url']}, the daemon's API at {daemon.socket}.")
    print(f"An app has opened a session and asked for an organization. Its code: {view['code']}")
    print(f"The page, for a browser: {view['url']}")
    curl("open a session, as a second app of another account would",
         *api, "--json", json.dumps(body_of_another), "http://mero/v1/sessions")
    curl("the request, as its app sees it", *api, *key, f"http://mero{request}")
    curl("play the person: press Approve on the page, and follow it back to the daemon's page",
         "-L", "-d", "decision=approve", view["url"])
    curl("the verified result (Prefer: wait=60 with If-None-Match waits for a change)",
         *api, *key, f"http://mero{request}")
    curl("ask for another one", *api, *key, "--json", json.dumps(body), "http://mero/v1/requests")
    curl("decline the newest request, without a browser: the daemon finds out within a second or two",
         "--json", json.dumps({"decision": "decline"}), f"{node.ready['control']}/decide")
    curl("all requests", *api, *key, "http://mero/v1/requests")
    curl("events as they happen, from the first one on; here for two seconds",
         "-N", "-m", "2", *api, *key, "-H", "Last-Event-ID: 0", "http://mero/v1/events")
    curl("let the node spoil the next result that it is asked for; mero-dev-node --help lists the ways",
         "--json", json.dumps({"name": "wrong-request"}), f"{node.ready['control']}/misbehave")
    curl("all is well again", "--json", "{}", f"{node.ready['control']}/behave")
    curl("all that the node knows", node.ready["control"])
    curl("the daemon's state", *api, "http://mero/v1/status")


def main():
    ends = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    # Also children begin with these blocked unless they say otherwise; ours take them as events.
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    # A short path: the name of a Unix socket has 107 bytes at most.
    home = Path(tempfile.mkdtemp(prefix="mero-"))
    home.chmod(0o700)
    programs = []
    try:
        programs.append(Node(home / "node"))
        programs.append(Daemon(home / "daemon", log_level="info"))
        node, daemon = programs
        daemon.start()
        node.control("callback", url=f"http://127.0.0.1:{daemon.port}/return")
        explain(node, daemon, Session(daemon, node))
        command(home, node, daemon)
        example(home, node, daemon)
        print("\nCtrl-C ends both.", flush=True)
        signal.sigwait(ends)
    finally:
        for program in reversed(programs):
            program.stop()
        shutil.rmtree(home)


if __name__ == "__main__":
    main()
