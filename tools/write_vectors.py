"""Write spec/vectors: `python -m tools.write_vectors [folder]`, with src and . on PYTHONPATH."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.vectors.frames import frames
from tools.vectors.messages import messages
from tools.vectors.sessions import scenarios

if TYPE_CHECKING:
    from tools.vectors.packing import Json

VECTORS = Path(__file__).parent.parent / "spec" / "vectors"


def _rows(table: dict[str, list[Any]]) -> str:
    """Write one case per line, so that a change shows as the case that it is."""
    parts = [
        f"  {json.dumps(key)}: [\n"
        + ",\n".join("    " + json.dumps(row, ensure_ascii=False) for row in rows)
        + "\n  ]"
        for key, rows in table.items()
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _scenario(scenario: Json) -> str:
    head = "".join(
        f"  {json.dumps(key)}: {json.dumps(scenario[key], ensure_ascii=False)},\n"
        for key in ("name", "about", "hello")
    )
    steps = ",\n".join("    " + json.dumps(step, ensure_ascii=False) for step in scenario["steps"])
    return "{\n" + head + '  "steps": [\n' + steps + "\n  ]\n}\n"


def write(folder: Path) -> int:
    """Write every vector below `folder`; what it no longer has is removed. Give their number."""
    table, files = frames()
    files["frames.json"] = _rows(table).encode()
    files["messages.json"] = _rows(messages()).encode()
    for scenario in scenarios():
        files[f"sessions/{scenario['name']}.json"] = _scenario(scenario).encode()
    for old in [*folder.glob("frames/**/*.safetensors"), *folder.glob("sessions/*.json")]:
        if old.relative_to(folder).as_posix() not in files:
            old.unlink()
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return len(files)


if __name__ == "__main__":
    print(write(Path(sys.argv[1]) if len(sys.argv) > 1 else VECTORS), "files")
