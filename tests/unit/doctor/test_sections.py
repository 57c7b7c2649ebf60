from tests.unit.doctor import made

from ipfs_accelerate.doctor.facts import Network, Signs
from ipfs_accelerate.doctor.sections import plain, sections


def lines(found):
    return list(plain(sections(found)))


def section(found, title):
    return next(one for one in sections(found) if one.title.startswith(title))


def test_each_launch_and_platform_has_a_row():
    failed = made.launch(rung="vulkan", error="It ended while starting.")
    one = made.browser(made.launch(made.SOFTWARE, made.NO_WEBNN, made.WASM), failed)
    shown = section(made.facts(one), "chromium")
    assert shown.title == "chromium 156.0.8078.79 at /usr/lib/chromium/chromium"
    assert shown.rows == (
        ("plain", "webgpu", "CPU, as a software GPU", "no", "2.5", "397", "google swiftshader"),
        ("", "webnn", "not there", "", "", "", "no context runs a graph"),
        ("", "wasm", "CPU", "no", "61.2", "", "4 threads, SIMD"),
        ("vulkan", "", "", "", "", "", "It ended while starting."),
    )


def test_a_gpu_is_told_with_its_figures():
    shown = section(made.facts(made.browser(made.launch(made.GPU))), "chromium")
    assert shown.rows == (("plain", "webgpu", "GPU", "yes", "1,234", "2,100", "nvidia ampere"),)


def test_a_browser_that_was_not_started_says_so():
    assert section(made.facts(made.browser(), measured=False), "chromium").rows == (
        ("not started",),
    )


def test_plain_lines_have_their_columns_under_each_other_and_no_trailing_space():
    shown = lines(made.facts(made.browser(made.launch(made.WASM, made.GPU))))
    heading = next(line for line in shown if "GFLOP/s" in line)
    wasm = next(line for line in shown if "4 threads" in line)
    assert heading.index("about") == wasm.index("4 threads")
    assert all(line == line.rstrip() for line in shown)
    assert "System:" in shown


def test_what_is_there_and_what_is_not():
    text = "\n".join(
        lines(
            made.facts(
                signs=Signs(nodes=(made.node(), made.node("/dev/kfd", usable=False))),
                network=Network(
                    proxies={"HTTP_PROXY": "http://proxy:3128"},
                    loopback_excepted=False,
                    ports={8765: True, 8766: False},
                ),
                system=made.system(container=True, packages={"onnxruntime": "1.30.0"}),
                cache=made.cache(exists=False),
                models=(made.model(version=""),),
                sandbox=False,
            )
        )
    )
    for part in (
        "x86_64, in a container",
        "16,000 MB, of which 8,000 MB free",
        "onnxruntime 1.30.0",
        "not possible here",
        "/dev/dri/renderD128, /dev/kfd (closed to you)",
        "HTTP_PROXY=http://proxy:3128",
        "not excepted",
        "ports free",
        "ports taken",
        "not there yet",
        "its package is not here",
        "apt install firefox-esr",
    ):
        assert part in text, part


def test_what_is_unknown_is_left_out():
    text = "\n".join(
        lines(
            made.facts(
                system=made.system(memory_mb=None, shm_mb=None), missing=(), network=Network()
            )
        )
    )
    assert "memory" not in text
    assert "Browsers that are not here" not in text
    assert "unknown free" in "\n".join(lines(made.facts(system=made.system(free_mb=None))))


def test_where_nothing_is_to_be_said_that_is_said():
    shown = section(made.facts(made.browser(), measured=False), "What this comes to")
    assert shown.rows == (("good", "Nothing stands in the way."),)
