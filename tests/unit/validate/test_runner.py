"""What is planted in a runner is found, and a run goes on after whatever happens."""

import asyncio
import contextlib

import numpy as np
import pytest
from tests.unit.validate.cases import RIGHT, case, result

from ipfs_accelerate.errors import BrowserError, ModelError, PoolError
from ipfs_accelerate.validate.runner import AT_ONCE, HOPELESS, Settings, validate
from ipfs_accelerate.validate.tolerance import OPERATORS
from ipfs_accelerate.validate.verdicts import Report, Run


class Planted:
    """Computes rightly, but for what is planted by the case's name."""

    def __init__(self, **planted):
        self.planted = planted
        self.ran, self.unloaded, self.options = [], [], []
        self.under_way = self.most = 0

    async def run(self, model, inputs, **options):
        name = str(model).rsplit("/", 1)[-1].removesuffix(".onnx")
        self.ran.append(name)
        self.options.append(options)
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            await asyncio.sleep(0)
            planted = self.planted.get(name, self.planted.get("every"))
            if isinstance(planted, Exception):
                raise planted
            if planted == "hangs":
                await asyncio.sleep(3600)
            return planted or result()
        finally:
            self.under_way -= 1

    async def unload(self, model):
        self.unloaded.append(model)

    @contextlib.asynccontextmanager
    async def opened(self):
        yield self


NAMES = ["relu", "gelu", "softmax", "matmul", "add"]


def runs_of(runner, tmp_path, *, names=NAMES, platforms=("webgpu",), tell=lambda *_: None, **more):
    runs = [Run(browser="chromium", platform=one) for one in platforms]
    settings = Settings(tolerance=OPERATORS, folder=tmp_path, deadline_s=0.2, **more)
    cases = [case(name) for name in names]
    asyncio.run(validate(cases, {None: runs}, lambda _: runner.opened(), settings, tell))
    return runs


def verdicts(run):
    return {one.case: one.verdict.value for one in run.outcomes}


def report(*runs):
    return Report(reference="r", tolerance={}, started="", versions={}, runs=list(runs))


def off_by_a_hundredth():
    computed = RIGHT.copy()
    computed[0, 1] *= 1.01
    return result(computed)


def test_a_planted_wrong_kernel_and_a_planted_fallback_are_found(tmp_path):
    planted = {"gelu": off_by_a_hundredth(), "matmul": result(fell_back=("Gelu",))}
    runner = Planted(**planted)
    (run,) = runs_of(runner, tmp_path)
    assert verdicts(run) == {
        "relu": "right",
        "gelu": "wrong",
        "softmax": "right",
        "matmul": "fell_back",
        "add": "right",
    }
    wrong = run.outcomes[1]
    assert (wrong.difference.output, wrong.difference.at) == ("y", (0, 1))
    assert wrong.difference.off == pytest.approx(0.01, rel=1e-3)
    assert run.device == "gpu"
    assert not report(run).good
    assert len(runner.unloaded) == len(NAMES)


def test_a_case_that_hangs_crashes_or_is_lost_costs_only_itself(tmp_path):
    runner = Planted(
        relu="hangs",
        gelu=PoolError("Worker 1 was lost.", code="worker_lost"),
        softmax=ZeroDivisionError("planted"),
        matmul=ModelError("webnn has no MatMul.", code="operator_unsupported"),
    )
    (run,) = runs_of(runner, tmp_path)
    assert list(verdicts(run).values()) == ["failed", "failed", "failed", "unsupported", "right"]
    assert [one.code for one in run.outcomes[:3]] == ["timeout", "worker_lost", "crashed"]
    assert run.counts["failed"] == run.bad == 3


def test_outcomes_stand_in_the_order_of_the_cases_and_each_is_told(tmp_path):
    told = []
    names = [str(number) for number in range(20)]
    (run,) = runs_of(
        Planted(), tmp_path, names=names, tell=lambda run, one: told.append((run.name, one.case))
    )
    assert [one.case for one in run.outcomes] == names
    assert sorted(told) == sorted(("chromium webgpu", name) for name in names)


def test_a_few_are_under_way_at_once(tmp_path):
    runner = Planted()
    runs_of(runner, tmp_path, names=[str(number) for number in range(20)])
    assert runner.most == AT_ONCE > 1


def test_every_platform_is_asked_for_by_name(tmp_path):
    runner = Planted()
    runs_of(
        runner, tmp_path, platforms=("webgpu", "webnn"), names=["gelu"], allow_fallback=("wasm",)
    )
    assert runner.options == [
        {"platform": "webgpu", "allow_fallback": ["wasm"]},
        {"platform": "webnn", "allow_fallback": ["wasm"]},
    ]


def test_a_platform_that_is_not_there_is_asked_for_once(tmp_path):
    runner = Planted(every=PoolError("webnn is not there.", code="platform_unavailable"))
    names = [str(number) for number in range(50)]
    (run,) = runs_of(runner, tmp_path, names=names)
    assert set(verdicts(run).values()) == {"unavailable"}
    assert len(run.outcomes) == len(names)
    assert {one.reason for one in run.outcomes} == {"webnn is not there."}
    assert len(runner.ran) <= AT_ONCE
    assert not report(run).good  # nothing ran


def test_a_browser_that_never_starts_is_given_up(tmp_path):
    runner = Planted(every=BrowserError("It ended while starting.", code="browser_failed"))
    names = [str(number) for number in range(50)]
    (run,) = runs_of(runner, tmp_path, names=names)
    assert set(verdicts(run).values()) == {"failed"}
    assert len(runner.ran) <= HOPELESS + AT_ONCE


def test_a_browser_that_fails_to_start_once_is_tried_again(tmp_path):
    runner = Planted(gelu=BrowserError("It ended while starting.", code="browser_failed"))
    (run,) = runs_of(runner, tmp_path)
    assert list(verdicts(run).values()).count("failed") == 1
    assert len(runner.ran) == len(NAMES)


def test_a_model_of_bytes_lies_in_a_file_only_while_it_runs(tmp_path):
    seen = []

    class Reads(Planted):
        async def run(self, model, inputs, **options):
            seen.append(model.read_bytes())
            return await super().run(model, inputs, **options)

    run = Run(browser="chromium", platform="webgpu")
    settings = Settings(tolerance=OPERATORS, folder=tmp_path, deadline_s=1)
    cases = [case("gelu", model=b"a graph")]
    asyncio.run(validate(cases, {None: [run]}, lambda _: Reads().opened(), settings))
    assert seen == [b"a graph"]
    assert not list(tmp_path.iterdir())
    assert run.outcomes[0].verdict == "right"


def test_an_interrupt_leaves_what_there_is_so_far(tmp_path):
    run = Run(browser="chromium", platform="webgpu")
    settings = Settings(tolerance=OPERATORS, folder=tmp_path, deadline_s=60)
    cases = [case(name) for name in ("0", "1", "2", "stops", "4", "5")]

    async def interrupted():
        runner, five = Planted(stops="hangs"), asyncio.Event()

        def tell(run, _outcome):
            if len(run.outcomes) == 5:
                five.set()

        work = asyncio.ensure_future(
            validate(cases, {None: [run]}, lambda _: runner.opened(), settings, tell)
        )
        await five.wait()
        work.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await work

    asyncio.run(interrupted())
    assert [one.case for one in run.outcomes] == ["0", "1", "2", "4", "5"]
    assert run.seconds > 0


def test_a_report_is_good_where_something_ran_and_nothing_is_bad(tmp_path):
    (fine,) = runs_of(Planted(), tmp_path)
    gone = PoolError("webnn is not there.", code="platform_unavailable")
    (none,) = runs_of(Planted(every=gone), tmp_path)
    lacking = ModelError("It has no Gelu.", code="operator_unsupported")
    (some,) = runs_of(Planted(gelu=lacking, relu=result(fell_back=("Relu",))), tmp_path)
    (bad,) = runs_of(Planted(gelu=result(np.zeros((2, 3), np.float32))), tmp_path)
    assert [report(*runs).good for runs in ([fine], [fine, none, some])] == [True, True]
    assert [report(*runs).good for runs in ([], [none], [fine, bad])] == [False, False, False]
