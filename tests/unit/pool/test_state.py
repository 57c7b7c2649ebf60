"""The pool's decisions, as events in and actions out."""

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from ipfs_accelerate.errors import BrowserError, PoolError
from ipfs_accelerate.pool.events import (
    Assign,
    Closed,
    EndBrowser,
    EngineLost,
    Fail,
    Finished,
    LaunchBrowser,
    ModelLoaded,
    ModelUnloaded,
    Submitted,
    Warmed,
    WorkerLost,
    WorkerReady,
)
from ipfs_accelerate.pool.placement import IN_FLIGHT
from ipfs_accelerate.pool.state import PoolState, worker_lost

GONE = PoolError("closed", code="closed")


def ready(max_workers: int = 1) -> PoolState:
    state = PoolState(max_workers)
    state.handle(Warmed())
    state.handle(WorkerReady(1))
    return state


def test_the_first_request_launches_a_browser_and_waits_for_it() -> None:
    state = PoolState(1)
    assert state.handle(Submitted(1, "m")) == [LaunchBrowser(1)]
    assert state.handle(Submitted(2, "m")) == []
    assert state.handle(WorkerReady(1)) == [Assign(1, 1), Assign(2, 1)]


def test_warming_launches_one_and_only_one() -> None:
    state = PoolState(4)
    assert state.handle(Warmed()) == [LaunchBrowser(1)]
    assert state.handle(Warmed()) == []


def test_a_worker_takes_no_more_than_it_may_hold() -> None:
    state = ready()
    for number in range(1, IN_FLIGHT + 1):
        assert state.handle(Submitted(number)) == [Assign(number, 1)]
    assert state.handle(Submitted(9)) == []
    assert state.handle(Finished(1)) == [Assign(9, 1)]


def test_requests_are_served_in_order() -> None:
    state = ready()
    for number in range(1, 6):
        state.handle(Submitted(number))
    assert [state.handle(Finished(number)) for number in (1, 2)] == [[Assign(3, 1)], [Assign(4, 1)]]


def test_a_second_browser_starts_when_the_first_is_taken() -> None:
    state = ready(max_workers=2)
    for number in range(1, IN_FLIGHT + 1):
        state.handle(Submitted(number))
    assert state.handle(Submitted(8)) == [LaunchBrowser(2)]
    assert state.handle(Submitted(9)) == []  # two is the most
    assert state.handle(WorkerReady(2)) == [Assign(8, 2), Assign(9, 2)]


def test_a_worker_that_has_the_model_is_preferred() -> None:
    state = ready(max_workers=2)
    for number in range(1, IN_FLIGHT + 2):
        state.handle(Submitted(number))
    state.handle(WorkerReady(2))
    for number in range(1, IN_FLIGHT + 2):
        state.handle(Finished(number))
    state.handle(ModelLoaded(2, "m"))
    assert state.handle(Submitted(9, "m")) == [Assign(9, 2)]
    state.handle(ModelUnloaded(2, "m"))
    assert state.handle(Submitted(10, "m")) == [Assign(10, 1)]


def test_a_request_for_one_worker_goes_nowhere_else() -> None:
    state = ready(max_workers=2)
    assert state.handle(Submitted(1, worker=1)) == [Assign(1, 1)]
    (failed,) = state.handle(Submitted(2, worker=7))
    assert isinstance(failed, Fail)
    assert failed.error.code == "tensor_not_found"


def test_a_request_that_its_caller_gave_up_is_never_assigned() -> None:
    state = PoolState(1)
    state.handle(Submitted(1))
    state.handle(Finished(1))
    assert state.handle(WorkerReady(1)) == []


def test_a_lost_worker_fails_what_it_held_and_is_replaced() -> None:
    state = ready()
    state.handle(Submitted(1))
    error = worker_lost(1, "its browser ended")
    for number in range(2, IN_FLIGHT + 1):
        state.handle(Submitted(number))
    state.handle(Submitted(90))
    state.handle(Submitted(91, worker=1))
    actions = state.handle(WorkerLost(1, error))
    assert actions[:IN_FLIGHT] == [Fail(number, error) for number in range(1, IN_FLIGHT + 1)]
    assert actions[IN_FLIGHT].request == 91  # type: ignore[union-attr]  # a Fail
    assert actions[IN_FLIGHT + 1 :] == [EndBrowser(1), LaunchBrowser(2)]
    assert state.handle(WorkerReady(2)) == [Assign(90, 2)]


def test_a_start_that_fails_fails_all_who_wait_and_is_not_repeated() -> None:
    state = PoolState(1)
    state.handle(Submitted(1))
    error = BrowserError("no")
    assert state.handle(WorkerLost(1, error)) == [Fail(1, error), EndBrowser(1)]
    assert state.handle(Submitted(2)) == [LaunchBrowser(2)]


def test_who_waits_for_a_fresh_engine_is_served_by_the_next_browser() -> None:
    state = ready()
    state.handle(EngineLost(1))
    state.handle(Submitted(1))
    lost = worker_lost(1, "its page ended")
    assert state.handle(WorkerLost(1, lost)) == [EndBrowser(1), LaunchBrowser(2)]
    assert state.handle(WorkerReady(2)) == [Assign(1, 2)]


def test_an_engine_that_is_replaced_takes_no_work_and_holds_no_models() -> None:
    state = ready()
    state.handle(ModelLoaded(1, "m"))
    assert state.handle(EngineLost(1)) == []
    assert state.workers[1].models == set()
    assert state.handle(Submitted(1, "m")) == []
    assert state.handle(WorkerReady(1)) == [Assign(1, 1)]


def test_what_speaks_of_a_worker_that_is_gone_changes_nothing() -> None:
    state = ready()
    for event in (
        WorkerReady(7),
        EngineLost(7),
        WorkerLost(7, GONE),
        ModelLoaded(7, "m"),
        ModelUnloaded(7, "m"),
    ):
        assert state.handle(event) == []
    assert set(state.workers) == {1}


def test_closing_fails_everything_and_ends_every_browser() -> None:
    state = ready()
    for number in range(1, IN_FLIGHT + 2):
        state.handle(Submitted(number))
    actions = state.handle(Closed(GONE))
    assert {one.request for one in actions if isinstance(one, Fail)} == set(range(1, IN_FLIGHT + 2))
    assert actions[-1] == EndBrowser(1)
    assert state.handle(Submitted(9)) == [Fail(9, GONE)]
    assert state.handle(WorkerReady(1)) == []


def test_its_repr_shows_the_live_state() -> None:
    state = ready()
    state.handle(Submitted(1))
    assert repr(state) == "<PoolState workers=[1:ready/1] queued=0>"


class AnyOrder(RuleBasedStateMachine):
    """Events in any order: every request is assigned or failed once, and no worker overfull."""

    def __init__(self) -> None:
        super().__init__()
        self.state = PoolState(3)
        self.number = 0
        self.open: set[int] = set()
        self.assigned: set[int] = set()

    def take(self, actions: list[object]) -> None:
        for action in actions:
            if isinstance(action, Assign):
                assert action.request in self.open - self.assigned
                assert action.request in self.state.workers[action.worker].running
                self.assigned.add(action.request)
            elif isinstance(action, Fail):
                assert action.request in self.open
                self.open.discard(action.request)
                self.assigned.discard(action.request)

    @rule(model=st.sampled_from("abc"), worker=st.sampled_from([None, None, None, 1, 2]))
    def submit(self, model: str, worker: int | None) -> None:
        self.number += 1
        self.open.add(self.number)
        self.take(list(self.state.handle(Submitted(self.number, model, worker))))

    @rule(data=st.data())
    def finish(self, data: st.DataObject) -> None:
        if self.open:
            request = data.draw(st.sampled_from(sorted(self.open)))
            self.open.discard(request)
            self.assigned.discard(request)
            self.take(list(self.state.handle(Finished(request))))

    @rule(worker=st.integers(1, 5), kind=st.sampled_from([WorkerReady, EngineLost]))
    def change(self, worker: int, kind: type[WorkerReady] | type[EngineLost]) -> None:
        self.take(list(self.state.handle(kind(worker))))

    @rule(worker=st.integers(1, 5))
    def lose(self, worker: int) -> None:
        self.take(list(self.state.handle(WorkerLost(worker, worker_lost(worker, "test")))))

    @rule(worker=st.integers(1, 5), model=st.sampled_from("abc"))
    def load(self, worker: int, model: str) -> None:
        self.take(list(self.state.handle(ModelLoaded(worker, model))))

    @invariant()
    def nothing_is_lost_or_overfull(self) -> None:
        queued = {one.request for one in self.state.queue}
        assert queued == self.open - self.assigned
        assert len(self.state.workers) <= self.state.max_workers
        for worker in self.state.workers.values():
            assert len(worker.running) <= IN_FLIGHT

    @invariant()
    def somebody_will_serve_what_waits(self) -> None:
        if any(one.worker is None for one in self.state.queue):
            assert self.state.workers


TestAnyOrder = AnyOrder.TestCase
