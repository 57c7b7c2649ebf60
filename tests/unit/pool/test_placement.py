"""Which worker takes a request."""

from ipfs_accelerate.pool.events import Submitted
from ipfs_accelerate.pool.placement import IN_FLIGHT, WorkerState, choose


def ready(number: int, *models: str, running: int = 0) -> WorkerState:
    return WorkerState(number, "ready", set(models), set(range(running)))


def test_nobody_is_chosen_where_nobody_is_free() -> None:
    assert choose(Submitted(1), []) is None
    assert choose(Submitted(1), [WorkerState(1)]) is None
    assert choose(Submitted(1), [ready(1, running=IN_FLIGHT)]) is None


def test_the_one_with_the_model_comes_before_the_idle_one() -> None:
    idle, loaded = ready(1), ready(2, "m", running=1)
    assert choose(Submitted(1, "m"), [idle, loaded]) is loaded
    assert choose(Submitted(1, "other"), [idle, loaded]) is idle


def test_among_equals_the_least_busy_and_then_the_first() -> None:
    busy, first, second = ready(1, running=1), ready(2), ready(3)
    assert choose(Submitted(1), [busy, second, first]) is first


def test_a_request_for_a_worker_gets_that_or_none() -> None:
    assert choose(Submitted(1, worker=2), [ready(1), ready(2)]) == ready(2)
    assert choose(Submitted(1, worker=3), [ready(1), ready(2)]) is None
