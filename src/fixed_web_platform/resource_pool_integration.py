"""The guides' accelerator, over `ipfs_accelerate.Accelerator`."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ipfs_accelerate.accelerator import Accelerator, Model

__all__ = [
    "EnhancedWebModel",
    "IPFSAccelerateWebIntegration",
    "IPFSWebAccelerator",
    "create_ipfs_web_accelerator",
]

EnhancedWebModel = Model


class IPFSAccelerateWebIntegration:
    """What the global resource pool hands out: models and metrics of one accelerator."""

    def __init__(self, accelerator: Accelerator) -> None:
        self.accelerator = accelerator

    def get_model(self, model_name: str, platform: str = "auto") -> Model:
        """A model that is ready to run."""
        return self.accelerator.accelerate_model(model_name, platform=platform)

    def run_inference(self, model_name: str, inputs: Any, **options: Any) -> Any:
        """Run a model once."""
        return self.accelerator.run_inference(model_name, inputs, **options)

    def get_metrics(self) -> dict[str, Any]:
        """What was measured since the start."""
        return self.accelerator.get_metrics()

    def close(self) -> None:
        """End every browser."""
        self.accelerator.close()


class IPFSWebAccelerator(Accelerator):
    """The accelerator as the guides know it."""

    @cached_property
    def integration(self) -> IPFSAccelerateWebIntegration:
        """The same accelerator under the guides' other set of names."""
        return IPFSAccelerateWebIntegration(self)


def create_ipfs_web_accelerator(**options: Any) -> IPFSWebAccelerator:
    """An accelerator with these options; `ipfs_accelerate.config.Config` documents them."""
    return IPFSWebAccelerator(**options)
