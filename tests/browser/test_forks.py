"""A process that only inherited an accelerator is told so, and its parent does not notice."""

import pytest
from tests.browser import graphs, processes
from tests.browser.scripts import Place

FORKED = """
    import os, sys, warnings, numpy as np
    warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads
    from ipfs_accelerate import Accelerator, ConfigError

    made = Accelerator(websocket_port=0)
    model = made.load("adding.onnx", remember=False)
    x = {{"x": np.array([1], np.float32)}}
    print(model(x).output.item(), flush=True)
    child = os.fork()
    if child == 0:
        {child}
        {end}
    _, status = os.waitpid(child, 0)
    print(model(x).output.item(), "after", os.waitstatus_to_exitcode(status))
    made.close()
"""
USES = """
        for call in (lambda: model(x), lambda: made.embed("x"), made.ping):
            try:
                call()
            except ConfigError as error:
                print(error.code)
"""
CLOSES = "made.close()"
MAKES = """
        with Accelerator(websocket_port=0) as own:
            print(own.run("adding.onnx", x).output.item())
"""


@pytest.fixture
def place(tmp_path):
    place = Place(tmp_path)
    graphs.save(graphs.adding(), place.work / "adding.onnx")
    return place


@pytest.mark.parametrize("end", ["os._exit(0)", "sys.exit(0)"])
@pytest.mark.parametrize(
    ("child", "says"),
    [(USES, ["after_fork"] * 3), (CLOSES, []), (MAKES, ["2.0"])],
    ids=["uses", "closes", "makes"],
)
def test_a_forked_child(place, child, says, end):
    done = place.run(FORKED.format(child=f"{child.strip()}\n        sys.stdout.flush()", end=end))
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:-1] == ["2.0", *says, "2.0 after 0"]
    assert done.stderr == ""
    assert place.is_clear(), processes.of_folder(place.cache)


def test_a_child_that_lives_on_does_not_keep_the_browser(place):
    code = FORKED.format(child="os.setsid(); import time; time.sleep(20)", end="os._exit(0)")
    code = code.replace("_, status = os.waitpid(child, 0)", "os.kill(os.getpid(), 9)")
    done = place.run(code, stdout=None)
    assert done.returncode == -9

    def no_browser():
        return not any("user-data-dir" in one for one in processes.of_folder(place.cache).values())

    assert processes.until(no_browser, 5)
    for pid in processes.of_folder(place.cache):
        processes.kill(pid)
    assert place.is_clear()
