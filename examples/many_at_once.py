"""Embeds texts from a coroutine, a few requests at a time, and says where the time went."""

import asyncio

from ipfs_accelerate import AsyncAccelerator

TEXTS = [f"sentence number {number}" for number in range(20)]


async def main() -> None:
    """Run them, and print what was measured."""
    async with AsyncAccelerator() as accelerator:
        await accelerator.load()
        await accelerator.run_batch_inference("all-MiniLM-L6-v2", TEXTS, batch_size=4)
        print(accelerator.get_performance_report("markdown"))


asyncio.run(main())
