from tests.unit.doctor import made


def test_a_browser_works_where_a_model_can_run_in_one_of_its_launches():
    failed = made.launch(error="it ended while starting")
    assert made.facts(made.browser(failed, made.launch(made.WASM))).works
    assert not made.facts(made.browser(failed)).works
    assert not made.facts(made.browser(made.launch(made.NO_WEBNN))).works
    assert not made.facts().works


def test_where_none_is_started_one_that_is_there_is_enough():
    assert made.facts(made.browser(), measured=False).works
    assert not made.facts(measured=False).works


def test_a_browsers_error_is_its_first():
    one = made.browser(made.launch(made.WASM), made.launch(error="a"), made.launch(error="b"))
    assert one.error == "a"
    assert made.browser(made.launch(made.WASM)).error == ""


def test_only_what_was_measured_as_an_accelerator_is_hardware():
    found = made.facts(made.browser(made.launch(made.GPU, made.SOFTWARE, made.WASM)))
    assert [one.is_hardware for one in found.abilities] == [True, False, False]
