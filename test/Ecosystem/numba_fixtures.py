"""The fixture that numba-cuda's own configuration of pytest has, which its package
leaves out: whether tests keep what FileCheck refused."""
import pytest


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    request.cls._dump_failed_filechecks = False
