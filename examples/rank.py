"""Ranks the lines of a text by how near they are to a question.

python examples/rank.py "How do I bake bread?" < some_text.txt
"""

import sys

from ipfs_accelerate import Accelerator

question = sys.argv[1] if len(sys.argv) > 1 else "How do I bake bread?"
lines = [line.strip() for line in sys.stdin if line.strip()] if not sys.stdin.isatty() else []
lines = lines or ["Knead the dough, let it rise, then bake it hot.", "The train leaves at noon."]

with Accelerator() as accelerator:
    vectors = accelerator.embed([question, *lines]).output

scores = vectors[1:] @ vectors[0]
for score, line in sorted(zip(scores.tolist(), lines, strict=True), reverse=True):
    print(f"{score:+.3f}  {line}")
