"""Every vector of spec/vectors, against this implementation. Its README is the format."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import safetensors

from ipfs_accelerate.errors import AccelerateError, ProtocolError, from_code
from ipfs_accelerate.protocol import events
from ipfs_accelerate.protocol.codec import Frame, Tensor, decode, encode
from ipfs_accelerate.protocol.messages import Abort, Hello, Part, parse, to_json
from ipfs_accelerate.protocol.session import Session

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "spec" / "vectors"
FRAMES = json.loads((VECTORS / "frames.json").read_text("utf-8"))
MESSAGES = json.loads((VECTORS / "messages.json").read_text("utf-8"))
SESSIONS = sorted((VECTORS / "sessions").glob("*.json"))
MESSAGE_FIELDS = {"hello", "message", "beat"}
# It is compiled, and has no types.
deserialize: Any = safetensors.deserialize
EVENT_NAMES: dict[type, str] = {
    events.Opened: "opened",
    events.Asked: "asked",
    events.CancelAsked: "cancel_asked",
    events.Progressed: "progressed",
    events.Answered: "answered",
    events.Refused: "refused",
    events.Beaten: "beaten",
    events.Ended: "ended",
}


def by_name(case: Any) -> Any:
    return case["name"]


def read_tensors(tensors: dict[str, Any]) -> dict[str, Tensor]:
    return {
        name: Tensor(one["dtype"], tuple(one["shape"]), bytes.fromhex(one["hex"]))
        for name, one in tensors.items()
    }


def write_tensors(tensors: Any) -> dict[str, Any]:
    return {
        name: {"dtype": one.dtype, "shape": list(one.shape), "hex": bytes(one.data).hex()}
        for name, one in tensors.items()
    }


@pytest.mark.parametrize("case", FRAMES["valid"], ids=by_name)
def test_valid_frame(case):
    data = (VECTORS / case["file"]).read_bytes()
    frame = decode(data)
    assert to_json(frame.message) == case["message"]
    assert write_tensors(frame.tensors) == case["tensors"]

    again = encode(Frame(parse(case["message"]), read_tensors(case["tensors"])))
    assert decode(again) == frame
    length = int.from_bytes(again[:8], "little")
    header = json.loads(again[8 : 8 + length])
    del header["__metadata__"]
    assert length % 8 == 0
    assert {name: entry["data_offsets"] for name, entry in header.items()} == case["offsets"]


@pytest.mark.parametrize("case", FRAMES["valid"], ids=by_name)
def test_the_official_loader_reads_the_same(case):
    frame = Frame(parse(case["message"]), read_tensors(case["tensors"]))
    for data in ((VECTORS / case["file"]).read_bytes(), encode(frame)):
        loaded = {
            name: {"dtype": one["dtype"], "shape": one["shape"], "hex": bytes(one["data"]).hex()}
            for name, one in deserialize(data)
        }
        assert loaded == case["tensors"]


@pytest.mark.parametrize("case", FRAMES["invalid"], ids=by_name)
def test_invalid_frame(case):
    with pytest.raises(ProtocolError) as caught:
        decode((VECTORS / case["file"]).read_bytes())
    assert caught.value.code == case["code"]


@pytest.mark.parametrize("case", MESSAGES["valid"], ids=lambda case: case["about"])
def test_valid_message(case):
    assert to_json(parse(case["message"])) == case["message"]


@pytest.mark.parametrize("case", MESSAGES["invalid"], ids=lambda case: case["about"])
def test_invalid_message(case):
    with pytest.raises(ProtocolError) as caught:
        parse(case["message"])
    assert caught.value.code == "bad_frame"
    assert str(case["message"].get("type", "")) in str(caught.value)
    assert case.get("field", "") in str(caught.value)


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_session(path):
    scenario = json.loads(path.read_text("utf-8"))
    assert scenario["name"] == path.stem
    runner = Runner(scenario["hello"])
    for step in scenario["steps"]:
        runner.run(step)


def test_the_files_are_those_of_their_script(tmp_path):
    command = [sys.executable, "-m", "tools.write_vectors", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    written = {file.relative_to(tmp_path): file for file in tmp_path.rglob("*") if file.is_file()}
    kept = {file.relative_to(VECTORS): file for file in VECTORS.rglob("*") if file.is_file()}
    del kept[Path("README.md")]
    assert written.keys() == kept.keys()
    assert all(file.read_bytes() == kept[name].read_bytes() for name, file in written.items())


class Runner:
    """One session, and the steps of one scenario."""

    def __init__(self, hello: dict[str, Any]) -> None:
        ours = parse(hello)
        assert isinstance(ours, Hello)
        self.session = Session(ours)

    def run(self, step: dict[str, Any]) -> None:
        sends: list[Any] = []
        seen: list[Any] = []
        outcome: dict[str, Any] = {}
        try:
            came = getattr(self, f"do_{step['do']}")(step)
            if isinstance(came, Frame):
                outcome = self.send(came, step.get("abort_after"))
                sends = outcome.pop("sends")
            else:
                seen = came or []
        except AccelerateError as error:
            outcome = {"error": error.code}
        expected = {key: step[key] for key in ("split", "aborted", "error") if key in step}
        assert outcome == expected, step
        assert sends == [{"tensors": {}, **one} for one in step.get("sends", [])], step
        self.check_events(seen, step.get("events", []))
        self.check_session(step)

    def send(self, frame: Frame, abort_after: int | None) -> dict[str, Any]:
        outgoing = self.session.pieces(frame)
        limits = [hello.limits for hello in (self.session.hello, self.session.peer) if hello]
        limit = min(one.max_frame_bytes for one in limits)
        pieces: list[Any] = []
        while abort_after is None or len(pieces) < abort_after:
            piece = next(outgoing, None)
            if piece is None:
                break
            data = b"".join(piece)
            assert len(data) <= limit
            pieces.append(decode(data))
        if abort_after is not None:
            abort = outgoing.abort()
            if abort is None:
                return {"sends": []}
            assert decode(abort).message == Abort(pieces[0].message.stream)
            return {"sends": [], "aborted": True}
        whole = join(pieces)
        sent = {"message": to_json(whole.message), "tensors": write_tensors(whole.tensors)}
        return {"sends": [sent]} | ({"split": True} if len(pieces) > 1 else {})

    def check_events(self, seen: list[Any], expected: list[dict[str, Any]]) -> None:
        assert [EVENT_NAMES[type(one)] for one in seen] == [one["event"] for one in expected]
        for one, wanted in zip(seen, expected, strict=True):
            shown = show(one)
            if isinstance(one, events.Refused):
                shown = {key: value for key, value in shown.items() if key in wanted}
            elif "tensors" in shown:
                wanted = {"tensors": {}, **wanted}  # noqa: PLW2901 - the default that the README states
            assert {"event": EVENT_NAMES[type(one)], **shown} == wanted

    def check_session(self, step: dict[str, Any]) -> None:
        session = self.session
        assert session.state == step.get("state", session.state), step
        assert session.late_replies == step.get("late_replies", session.late_replies), step
        ours = sorted(session.open_requests)
        assert ours == step.get("open_requests", ours), step

    def do_start(self, _step: dict[str, Any]) -> Any:
        return self.session.start()

    def do_request(self, step: dict[str, Any]) -> Any:
        message: Any = parse(step["message"] | {"id": 1})
        return self.session.request(message, read_tensors(step.get("tensors", {})))

    def do_progress(self, step: dict[str, Any]) -> Any:
        return self.session.progress(step["id"], step["stage"], step["done"], step["total"])

    def do_answer(self, step: dict[str, Any]) -> Any:
        tensors = read_tensors(step.get("tensors", {}))
        return self.session.answer(step["id"], step["value"], tensors)

    def do_fail(self, step: dict[str, Any]) -> Any:
        return self.session.fail(step["id"], from_code(**step["refusal"]))

    def do_notify(self, step: dict[str, Any]) -> Any:
        message: Any = parse(step["message"])
        return self.session.notify(message)

    def do_cancel(self, step: dict[str, Any]) -> Any:
        return self.session.cancel(step["id"])

    def do_receive(self, step: dict[str, Any]) -> Any:
        tensors = read_tensors(step.get("tensors", {}))
        # Written without the dataclasses, since a step's message may be one that none fits.
        header: dict[str, Any] = {"__metadata__": {"message": json.dumps(step["message"])}}
        data = b""
        for name, tensor in tensors.items():
            offsets = [len(data), len(data) + tensor.nbytes]
            data += bytes(tensor.data)
            header[name] = {"dtype": tensor.dtype, "shape": tensor.shape, "data_offsets": offsets}
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        return self.session.receive(len(text).to_bytes(8, "little") + text + data)

    def do_receive_bytes(self, step: dict[str, Any]) -> Any:
        return self.session.receive(bytes.fromhex(step["hex"]))

    def do_lost(self, _step: dict[str, Any]) -> Any:
        return self.session.lost()


def join(pieces: list[Frame]) -> Frame:
    first = pieces[0].message
    if not isinstance(first, Part):
        assert len(pieces) == 1
        return pieces[0]
    whole = b""
    for piece in pieces:
        assert piece.message == Part(first.stream, len(whole), first.total)
        assert piece.tensors["part"].nbytes
        whole += bytes(piece.tensors["part"].data)
    assert len(whole) == first.total
    return decode(whole)


def show(event: Any) -> dict[str, Any]:
    if isinstance(event, events.Refused):
        error = event.error
        return {
            "event": "refused",
            "id": event.id,
            "code": error.code,
            "message": error.message,
            "details": error.details,
        }
    shown = {}
    for field in fields(event):
        value = getattr(event, field.name)
        if field.name == "tensors":
            shown["tensors"] = write_tensors(value)
        else:
            shown[field.name] = to_json(value) if field.name in MESSAGE_FIELDS else value
    return shown
