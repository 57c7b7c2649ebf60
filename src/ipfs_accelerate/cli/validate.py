"""`ipfs-accelerate validate`: whether a browser's numbers are right, platform by platform."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ipfs_accelerate.cli import options
from ipfs_accelerate.cli.files import check_writable, write
from ipfs_accelerate.cli.run import feeds_of
from ipfs_accelerate.cli.terminal import output
from ipfs_accelerate.cli.validation import bars, print_report
from ipfs_accelerate.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ipfs_accelerate.validate.cases import Case
    from ipfs_accelerate.validate.session import Plan
    from ipfs_accelerate.validate.verdicts import Report

OPERATOR_TIMEOUT_S = 10.0
INTERRUPTED = 130


def validate(
    models: Annotated[
        list[str] | None, typer.Argument(help="Models: catalogued names, or paths of .onnx files.")
    ] = None,
    *,
    operators: Annotated[
        bool, typer.Option("--operators", help="Validate every operator, by onnx's own test cases.")
    ] = False,
    only: Annotated[
        str | None, typer.Option(help="Only the cases in whose name or operator this regex is.")
    ] = None,
    sample: Annotated[
        int | None, typer.Option(min=1, help="Only so many cases, always the same ones.")
    ] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option("--input", "-i", metavar="NAME=FILE.npy", help="An input; may be repeated."),
    ] = None,
    browser: Annotated[
        list[str] | None,
        typer.Option(help="A browser; may be repeated. By default the first one found."),
    ] = None,
    platform: Annotated[
        list[str] | None,
        typer.Option(help="A platform; may be repeated. By default every one."),
    ] = None,
    allow_fallback: Annotated[
        list[str] | None,
        typer.Option(help="A platform that may stand in, as wasm; may be repeated."),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(help="For float32; that of other dtypes is scaled with it."),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(help="Seconds for a load and for a run; 10 for an operator."),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="A file for the report as JSON; - is stdout.")
    ] = None,
    junit: Annotated[Path | None, typer.Option(help="A file for the report as JUnit XML.")] = None,
    browser_path: options.BrowserPathOption = None,
    threads: options.ThreadsOption = None,
    port: options.PortOption = None,
    visible: options.VisibleOption = False,
) -> None:
    """Hold what browsers compute against native onnxruntime, or against onnx's own test cases.

    Ends with 0 where something ran and nothing is wrong or failed, else with 1.
    """
    _check_usage(models or [], inputs or [], operators=operators, chosen=only or sample)
    if tolerance is not None and not tolerance > 0:
        raise typer.BadParameter("it is a number above 0.", param_hint="--tolerance")
    given = {
        "browser_path": browser_path,
        "threads": threads,
        "websocket_port": port,
        "headless": not visible,
        **_timeouts(timeout or (OPERATOR_TIMEOUT_S if operators else None)),
    }
    from ipfs_accelerate.validate.session import EVERY_PLATFORM, Plan  # noqa: PLC0415 - as below

    plan = Plan(
        browsers=list(dict.fromkeys(browser or [])) or [None],
        platforms=list(dict.fromkeys(platform or EVERY_PLATFORM)),
        allow_fallback=allow_fallback or [],
        tolerance=_tolerances(operators, tolerance),
        options={name: value for name, value in given.items() if value is not None},
    )
    for file in (json_file, junit):
        check_writable(file)
    if operators:
        cases = _operators(plan, only, sample)
    else:
        cases = _models(plan, models or [], inputs or [])
    reference = "onnx's node test cases" if operators else "native onnxruntime"
    report = plan.report(reference)
    _carry_out(plan, cases, report)
    _tell(report, json_file, junit)
    if report.interrupted:
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(0 if report.good else 1)


def _check_usage(
    models: Sequence[str], inputs: Sequence[str], *, operators: bool, chosen: object
) -> None:
    if bool(models) == operators:
        raise typer.BadParameter("name models, or give --operators, and not both.")
    if operators and inputs:
        raise typer.BadParameter("an operator's case has its own inputs.", param_hint="--input")
    if not operators and chosen:
        raise typer.BadParameter("--only and --sample choose among --operators.")
    if inputs and len(models) > 1:
        raise typer.BadParameter("inputs are those of one model.", param_hint="--input")


def _timeouts(seconds: float | None) -> dict[str, float | None]:
    return {"load_timeout_s": seconds, "inference_timeout_s": seconds}


def _tolerances(operators: bool, float32: float | None) -> dict[str, float]:
    from ipfs_accelerate.validate import tolerance  # noqa: PLC0415 - `--help` need not wait for it

    return tolerance.scaled(tolerance.OPERATORS if operators else tolerance.MODELS, float32)


def _operators(plan: Plan, only: str | None, sample: int | None) -> list[Case]:
    from ipfs_accelerate.validate.operators import collect  # noqa: PLC0415 - loads onnx

    with bars() as shown:
        shown.add_task("Collecting onnx's cases", total=None)
        cases = collect(only=only, sample=sample, tolerance=plan.tolerance)
    if not cases:
        raise ConfigError(
            f"No case or operator has {only!r} in its name.",
            hint="Give another regular expression; operators are named as in ONNX: Gelu, MatMul.",
        )
    return cases


def _models(plan: Plan, models: Sequence[str], inputs: Sequence[str]) -> list[Case]:
    from ipfs_accelerate.models import BlockStore  # noqa: PLC0415 - `--help` need not wait for it
    from ipfs_accelerate.validate import native  # noqa: PLC0415
    from ipfs_accelerate.validate.models import case_of  # noqa: PLC0415 - loads onnx

    native.require()
    store = BlockStore(plan.config(None).folder)
    with bars() as shown:
        task = shown.add_task("Running native onnxruntime", total=len(models))
        cases = []
        for model in models:
            cases.append(case_of(model, feeds_of(inputs), store))
            shown.advance(task)
    return cases


def _carry_out(plan: Plan, cases: Sequence[Case], report: Report) -> None:
    from ipfs_accelerate.validate.session import carry_out  # noqa: PLC0415 - loads the engine

    with bars() as shown:
        tasks = {run.name: shown.add_task(run.name, total=len(cases)) for run in report.runs}

        def tell(run: Any, _outcome: object) -> None:
            words = f"{run.name}, {run.bad} wrong or failed" if run.bad else run.name
            shown.update(tasks[run.name], advance=1, description=words)

        try:
            asyncio.run(carry_out(plan, cases, report, tell))
        except KeyboardInterrupt:
            report.interrupted = True


def _tell(report: Report, json_file: Path | None, junit: Path | None) -> None:
    from ipfs_accelerate.validate.junit import to_junit  # noqa: PLC0415 - seldom asked for
    from ipfs_accelerate.validate.report import to_json  # noqa: PLC0415

    if junit is not None:
        write(junit, to_junit(report))
    if json_file is not None and str(json_file) != "-":
        write(json_file, to_json(report))
    if str(json_file) == "-":
        sys.stdout.write(to_json(report))
    else:
        print_report(output(), report)
