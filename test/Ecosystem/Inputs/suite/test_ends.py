import os
import time

import pytest


def test_first():
    pass


def test_wrong():
    assert 1 + 1 == 3, "sums\nmore"


def test_dies():
    os.abort()


def test_endless():
    time.sleep(600)


@pytest.mark.skip
def test_skipped():
    pass


@pytest.mark.xfail
def test_expected():
    raise AssertionError


def test_last():
    pass
