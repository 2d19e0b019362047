"""What Python functions raise is kept, thread by thread."""
import threading

from pliant.functions.failures import MOST, Failures


def test_they_are_taken_once():
    failures, error = Failures(), ValueError("one")
    assert not failures and failures.take() == []
    failures.add(error, "in force 'push'")
    for _ in range(2 * MOST):
        failures.add(KeyError("more"))
    assert error.raised_in == "in force 'push'" and error.__notes__ == ["in force 'push'"]
    taken = failures.take()
    assert taken[0] is error and len(taken) == MOST and not failures


def test_some_are_ignored():
    failures, error = Failures(), ValueError("one")
    failures.add(error)
    with failures.ignored():
        assert not failures
        failures.add(KeyError("two"))
    assert failures.take() == [error]


def test_each_thread_has_its_own():
    failures, seen = Failures(), []
    failures.add(ValueError("here"))

    def work():
        seen.append(bool(failures))
        failures.add(KeyError("there"))
        seen.append([type(e) for e in failures.take()])
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [False, [KeyError]] and [type(e) for e in failures.take()] == [ValueError]
