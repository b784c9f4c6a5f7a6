"""With the driver of ../driver.c, which is in an error when told so."""
import ctypes


def driver():
    return ctypes.CDLL("libcuda.so.1")


def test_before():
    assert False, "before the fault"


def test_fault():
    driver().makeFault()
    assert False, "the fault"


def test_behind():
    assert driver().cuCtxSynchronize() == 0
