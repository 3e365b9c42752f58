"""A disk that is full while the daemon works: what is refused, what is told, what is kept."""

import os
import shutil
import signal
import subprocess
import threading

import pytest
from harness.api import Session, path
from harness.command import Command
from harness.disk import SmallDisk, fill_to_the_last
from harness.programs import Daemon, Node
from harness.site import state, target
from harness.waiting import until


@pytest.fixture
def setting(disk, programs, opener):
    """A daemon on a small disk, its node, and a session with a request that runs."""
    daemon = programs(Daemon, "--state-dir", disk.folder, environment=opener.environment).start()
    node = programs(Node)
    session = Session(daemon, node)
    return disk, daemon, node, session


def record(daemon):
    return daemon.status["state"]


def notes(daemon):
    """The files of what was told and is not written yet, each as a whole."""
    files = (daemon.runtime / "mero-consentd").glob("record-*/unwritten/*")
    return [file for file in files if file.suffix != ".new"]


def seen(session, view, condition, seconds=60):
    """Waits as an app does, until `condition` of the request's view."""
    def look():
        answer = session.get(path(view["requestId"]))
        if condition(answer.json()):
            return answer.json()
        session.wait(view["requestId"], answer["ETag"], 1)
        return None
    return until(look, "the app is told", seconds)


def test_a_start_is_refused_before_the_node_is_asked(setting, opener):
    """C-127: and no page opens. The same call succeeds once there is room, with the same key."""
    disk, daemon, node, session = setting
    fill_to_the_last(disk, daemon)
    asked = node.calls("request")
    body = {"request": {"kind": "createOrg", "name": "Acme"}, "open": True}
    for _ in range(3):
        answer = session.post("/v1/requests", body, {"Idempotency-Key": "k"})
        assert answer.status == 503 and answer.code == "STATE_UNAVAILABLE"
        assert "ENOSPC" in answer.json()["detail"]
    started = {"requestId": "r", "url": node.ready["url"] + "/consent/r", "code": "ABCD-EF",
               "expiresAt": "2999-01-01T00:00:00Z", "kind": "createOrg"}
    assert session.post("/v1/requests", {"started": started}).code == "STATE_UNAVAILABLE"
    assert node.calls("request") == asked and opener.pages == []
    assert session.get("/v1/requests").json()["requests"] == []
    disk.free()
    answer = session.post("/v1/requests", body, {"Idempotency-Key": "k"})
    assert answer.status == 201 and node.calls("request") == asked + 1
    assert opener.page() == answer.json()["url"]
    assert record(daemon)["health"] == "ok"


def test_the_last_room_is_for_the_verdicts_of_those_that_run(setting):
    """A small disk with 200 KiB left takes a verdict, and no new request."""
    disk, daemon, node, session = setting
    view = session.start()
    disk.fill(leaving=200 * 1024)
    asked = node.calls("request")
    answer = session.post("/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}})
    assert answer.code == "STATE_UNAVAILABLE" and node.calls("request") == asked
    assert "are left" in answer.json()["detail"]
    assert session.post("/v1/sessions", session.opening).code == "STATE_UNAVAILABLE"
    node.decide(view["requestId"])
    assert "recorded" not in session.decided(view["requestId"], "approved")
    disk.free()
    assert session.start()["state"] == "started"


def test_a_decision_is_told_and_written_when_there_is_room(setting, home):
    """C-127: to whoever waits, listens, lists, and to the person; each time the same."""
    disk, daemon, node, session = setting
    view = session.start()
    request_id = view["requestId"]
    stream = session.events()
    fill_to_the_last(disk, daemon)
    page = []
    with session.connection() as waiting:
        waiting.send(session.bytes("GET", path(request_id), headers={
            "If-None-Match": session.get(path(request_id))["ETag"], "Prefer": "wait=60"}))
        node.decide(request_id)
        asker = threading.Thread(target=lambda: page.append(
            daemon.site.bring_back(target(view["callback"], request_id=request_id))))
        asker.start()
        told = waiting.answer().json()
        asker.join()
    assert told["state"] == "approved" and told["recorded"] is False
    assert told["outcome"] == {"kind": "orgCreated", "orgId": told["outcome"]["orgId"]}
    assert "ENOSPC" in told["detail"]
    assert state(page[0]) == "approved"
    event = stream.next()
    assert "id" not in event and '"recorded":false' in event["data"]
    assert '"state":"approved"' in event["data"]
    # What is decided is not cancelled any more, nor written as something else.
    reads = node.calls("result")
    told = session.request(request_id)
    assert session.delete(path(request_id)).json() == told
    assert session.post(path(request_id, "/return"), {"url": f"x:?request_id={request_id}"}).json() == told
    assert session.post(path(request_id, "/open")).json()["opened"] is False
    assert told["lastReturn"]["code"] == "OK"
    for query, listed in (("", [told]), ("?state=approved", [told]), ("?state=started", []),
                          (f"?before={request_id}", [])):
        views = session.get("/v1/requests" + query).json()["requests"]
        assert [(v["requestId"], v["state"]) for v in views] == [
            (v["requestId"], v["state"]) for v in listed], query
    refused = session.delete("/v1/session")
    assert refused.status == 503 and refused.code == "STATE_UNAVAILABLE"
    assert node.calls("result") == reads
    # And how it is says so.
    assert record(daemon) == {"health": "read-only", "reset": False, "unwritten": 1,
                              "reason": record(daemon)["reason"]}
    assert "ENOSPC" in record(daemon)["reason"]
    assert daemon.status["counts"]["undecidedRequests"] == 0
    command = Command(home, daemon)
    assert "1 verdict waits to be written" in command("status").out
    doctor = command("doctor")
    line = next(line for line in doctor.out.splitlines() if "ENOSPC" in line)
    assert line.startswith("fault") and "1 verdict waits" in line
    disk.free()
    written = seen(session, view, lambda view: "recorded" not in view)
    same = [name for name in told if name not in ("recorded", "detail")]
    assert {name: written[name] for name in same} == {name: told[name] for name in same}
    while "id" not in (event := stream.next()):
        assert '"state":"approved"' in event["data"]
    assert '"state":"approved"' in event["data"] and "recorded" not in event["data"]
    until(lambda: record(daemon)["health"] == "ok", "it can be written")
    assert record(daemon) == {"health": "ok", "reset": False, "unwritten": 0}
    daemon.restart(kill=True)
    after = session.request(request_id)
    assert {name: after[name] for name in same} == {name: told[name] for name in same}


@pytest.mark.parametrize("how", ["kill", "stop"])
def test_what_was_told_is_told_again_after_a_crash(setting, how):
    """Before it is told it is in the runtime directory: a crash takes nothing back, and the node
    need not be asked, for which there are no tokens now."""
    disk, daemon, node, session = setting
    views = [session.start(), session.start({"kind": "createInvite", "org": "o"})]
    # The newer one has replaced the older one, which is told when it is written.
    view = views[1]
    seen(session, views[0], lambda view: view["state"] == "replaced")
    fill_to_the_last(disk, daemon)
    node.decide(view["requestId"])
    told = seen(session, view, lambda view: view["state"] == "approved")
    assert told["recorded"] is False and told["outcome"]["token"]
    stored = b"".join(file.read_bytes() for file in notes(daemon))
    assert stored and told["outcome"]["token"].encode() not in stored
    reads = node.calls("result")
    if how == "kill":
        daemon.kill()
    else:
        assert daemon.stop() == 0
        assert "1 verdicts could not be written" in daemon.log
    disk.free()
    daemon.start()
    after = session.request(view["requestId"])
    assert after["state"] == "approved" and after["needsSession"] is True
    for name in ("decidedAt", "decision", "changesOrganizations"):
        assert after[name] == told[name]
    seen(session, view, lambda view: "recorded" not in view)
    assert node.calls("result") == reads
    assert notes(daemon) == []
    daemon.restart(kill=True)
    assert session.request(view["requestId"])["state"] == "approved"


def test_a_daemon_with_another_record_takes_nothing_back(setting, programs):
    """Two of one person's, with sockets and records of their own: they have one runtime directory."""
    disk, daemon, node, session = setting
    view = session.start()
    fill_to_the_last(disk, daemon)
    node.decide(view["requestId"])
    seen(session, view, lambda view: view["state"] == "approved")
    other = programs(Daemon, environment={"XDG_RUNTIME_DIR": str(daemon.runtime)}).start()
    assert Session(other, node).get("/v1/requests").json()["requests"] == []
    assert other.stop() == 0
    daemon.kill()
    disk.free()
    daemon.start()
    # Without tokens the node cannot be asked: what was told was kept.
    assert session.get("/v1/session").json()["needsSession"] is True
    assert session.request(view["requestId"])["state"] == "approved"
    seen(session, view, lambda view: "recorded" not in view)


def test_an_end_that_is_not_the_nodes_word_waits_for_the_disk(setting):
    """Read again, it might be another one (expired, say): it is told when it is written."""
    disk, daemon, node, session = setting
    view = session.start()
    fill_to_the_last(disk, daemon)
    node.control("replace")
    held = seen(session, view, lambda view: "recorded" in view)
    assert held["state"] == "started" and held["recorded"] is False
    assert "ENOSPC" in held["detail"] and "decision" not in held
    page = daemon.site.bring_back(target(view["callback"], request_id=view["requestId"]))
    assert state(page) == "not-confirmed"
    answer = session.post(path(view["requestId"], "/return"), {"url": "x:"})
    assert answer.status == 503 and answer.code == "STATE_UNAVAILABLE"
    disk.free()
    assert seen(session, view, lambda view: view["state"] == "replaced")["state"] == "replaced"


def test_a_stream_that_comes_later_hears_of_what_waits(setting):
    disk, daemon, node, session = setting
    with session.events() as first:
        view = session.start()
        last = first.next()["id"]
        fill_to_the_last(disk, daemon)
        node.decide(view["requestId"], "decline")
        assert '"state":"declined"' in first.next()["data"]
    with session.events(after=last) as later:
        event = later.next()
        assert "id" not in event and '"state":"declined"' in event["data"]
        disk.free()
        event = later.next()
        assert int(event["id"]) > int(last) and '"state":"declined"' in event["data"]


def test_a_stream_after_a_crash_hears_of_what_waits(setting):
    """As a read does: the app that comes back with its last id has not been told yet."""
    disk, daemon, node, session = setting
    with session.events() as stream:
        view = session.start()
        last = stream.next()["id"]
    fill_to_the_last(disk, daemon)
    node.decide(view["requestId"])
    seen(session, view, lambda view: view["state"] == "approved")
    daemon.restart(kill=True)
    assert session.request(view["requestId"])["recorded"] is False
    with session.events(after=last) as stream:
        event = stream.next()
    assert "id" not in event and '"state":"approved"' in event["data"]


def test_the_largest_outcome_is_told_again_after_a_crash(disk, programs):
    """Of a node's 1 MiB, of which JSON makes more."""
    apps = ["a/b/c/" * 20] * 8300
    big = SmallDisk(disk.folder.with_name("big"), 8192)
    try:
        daemon = programs(Daemon, "--state-dir", big.folder).start()
        node = programs(Node)
        session = Session(daemon, node)
        view = session.start({"kind": "deleteOrg", "org": "o"})
        fill_to_the_last(big, daemon)
        text = ",".join(f'"{app}"' for app in apps)
        node.misbehave("raw-answer", on="result", times="forever", value=(
            f'{{"requestId":"{view["requestId"]}","status":"approved",'
            f'"outcome":{{"kind":"orgDeleted","apps":[{text}]}}}}'))
        told = seen(session, view, lambda view: view["state"] == "approved")
        assert told["recorded"] is False and len(told["outcome"]["apps"]) == len(apps)
        node.kill()
        for _ in range(2):
            daemon.restart(kill=True)
            after = session.request(view["requestId"])
            assert after["state"] == "approved" and after["outcome"] == told["outcome"]
        big.free()
        until(lambda: record(daemon)["unwritten"] == 0, "it is written")
        daemon.restart(kill=True)
        assert session.request(view["requestId"])["outcome"] == told["outcome"]
    finally:
        big.close()


def test_what_waits_is_kept_again_where_it_was_removed(setting):
    """As a logout does, or a person who cleans up."""
    disk, daemon, node, session = setting
    view = session.start()
    fill_to_the_last(disk, daemon)
    node.decide(view["requestId"])
    seen(session, view, lambda view: view["state"] == "approved")
    assert notes(daemon)
    # In one step: the daemon may be writing there.
    gone = (daemon.runtime / "mero-consentd").rename(daemon.runtime / "gone")
    shutil.rmtree(gone, ignore_errors=True)
    until(lambda: notes(daemon), "the next try keeps it again")
    node.kill()
    daemon.restart(kill=True)
    assert session.request(view["requestId"])["state"] == "approved"


def test_a_note_that_cannot_be_read_stays(setting):
    """It is no note of ours, or one that a later start can read."""
    disk, daemon, node, session = setting
    view = session.start()
    fill_to_the_last(disk, daemon)
    node.decide(view["requestId"])
    seen(session, view, lambda view: view["state"] == "approved")
    [note] = notes(daemon)
    daemon.kill()
    kept = note.read_bytes()
    with open(note, "r+b") as file:
        file.truncate(64 << 20)
    disk.free()
    daemon.start()
    assert note.stat().st_size == 64 << 20
    assert "cannot read all of" in daemon.log
    assert session.request(view["requestId"])["state"] == "started"
    daemon.kill()
    note.write_bytes(kept)
    daemon.start()
    assert session.request(view["requestId"])["state"] == "approved"


def test_looking_for_room_touches_no_file_of_the_persons(disk, programs):
    """In a directory that they chose."""
    theirs = {name: disk.folder / name for name in ("proof", "notes.txt", "ledger.db-proof")}
    for name, file in theirs.items():
        file.write_text(name)
    daemon = programs(Daemon, "--state-dir", disk.folder).start()
    node = programs(Node)
    session = Session(daemon, node)
    fill_to_the_last(disk, daemon)
    answer = session.post("/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}})
    assert answer.code == "STATE_UNAVAILABLE"
    disk.free()
    until(lambda: record(daemon)["health"] == "ok", "it can be written")
    assert {name: file.read_text() for name, file in theirs.items()} == {
        name: name for name in theirs}
    assert sorted(os.listdir(disk.folder)) == sorted(
        [*theirs, "callback-port", "ledger.db", "ledger.db-shm", "ledger.db-wal", "lock"])


def test_it_neither_floods_its_log_nor_works_for_nothing(setting):
    """One line for one fault, however many calls meet it; and between two tries it rests."""
    disk, daemon, node, session = setting
    views = [Session(daemon, node, accessToken=tokens["accessToken"],
                     refreshToken=tokens["refreshToken"]).start()
             for tokens in [node.control("tokens") for _ in range(8)]]
    fill_to_the_last(disk, daemon)
    for view in views:
        node.decide(view["requestId"])
    until(lambda: record(daemon)["unwritten"] == 8, "all are told")
    for _ in range(50):
        session.post("/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}})

    def used():
        """Processor time in seconds."""
        fields = open(f"/proc/{daemon.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    before, tries = used(), node.calls("result")
    until_quiet = threading.Event()
    until_quiet.wait(4)
    assert used() - before < 2, "it is busy with nothing"
    assert node.calls("result") == tries
    lines = [line for line in daemon.log.splitlines() if "cannot write the record" in line]
    assert len(lines) == 1, lines
    disk.free()
    until(lambda: record(daemon)["unwritten"] == 0, "all are written")


def test_a_limit_of_files_sizes_is_a_full_disk(programs):
    """RLIMIT_FSIZE: a signal that would end the process, and then EFBIG, which quotas look like."""
    daemon, node = programs(Daemon).start(), programs(Node)
    session = Session(daemon, node)
    view = session.start()
    subprocess.run(["prlimit", f"--pid={daemon.pid}", "--fsize=8192:unlimited"], check=True)
    asked = node.calls("request")
    answer = session.post("/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}})
    assert answer.code == "STATE_UNAVAILABLE" and node.calls("request") == asked
    node.decide(view["requestId"])
    assert seen(session, view, lambda view: view["state"] == "approved")["recorded"] is False
    subprocess.run(["prlimit", f"--pid={daemon.pid}", "--fsize=unlimited"], check=True)
    seen(session, view, lambda view: "recorded" not in view)
    assert session.start()["state"] == "started"
    assert daemon.stop() == 0


def test_a_stop_on_a_full_disk_ends_and_loses_nothing(setting):
    disk, daemon, node, session = setting
    view = session.start()
    fill_to_the_last(disk, daemon)
    daemon.signal(signal.SIGTERM)
    assert daemon.wait() == 0
    disk.free()
    daemon.start()
    assert session.request(view["requestId"])["state"] == "started"
