#!/usr/bin/env python3
"""Tests the remotes of the cache against real and misbehaving servers.

usage: remotes.py WORK-FOLDER PTX-FILE

Compiles with ptx-compile (in PATH) on what plays different machines, each with
a cache directory of its own, and compares every object with one compiled without
a cache. Prints what failed; the exit status is 1 if anything did.
"""
import os
import re
import shutil
import subprocess
import sys
import time

import servers

WORK, PTX = sys.argv[1:]
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("failed: " + what)


class Machine:
    """A cache directory and its settings."""

    count = 0

    def __init__(self, remotes, **settings):
        Machine.count += 1
        self.directory = os.path.join(WORK, "machine%d" % Machine.count)
        self.environment = dict(os.environ, HEDDLE_CACHE_MODE="on",
                                HEDDLE_CACHE_DIR=self.directory, HEDDLE_CACHE_REMOTES=remotes,
                                HEDDLE_CACHE_REMOTE_TIMEOUT="10000",
                                HEDDLE_CACHE_REMOTE_LINGER="10000",
                                HEDDLE_CACHE_FUNCTIONS="false")
        for name, value in settings.items():
            self.environment["HEDDLE_CACHE_" + name.upper()] = value

    def compile(self, *options):
        """Where the object came from; and how long it took, in seconds."""
        output = self.directory + ".o"
        start = time.monotonic()
        done = subprocess.run(["ptx-compile", "--cache-report", *options, PTX, "-o", output],
                              env=self.environment, capture_output=True, text=True)
        seconds = time.monotonic() - start
        origin = re.search(r"cache: (\w+)", done.stderr)
        check(done.returncode == 0, "ptx-compile failed: " + done.stderr)
        check(same_as_fresh(output, options), "another object than without a cache")
        self.said = done.stderr
        return (origin.group(1) if origin else "none"), seconds

    def counter(self, name):
        stats = subprocess.run(["ptx-cache", "stats"], env=self.environment, capture_output=True,
                               text=True).stdout
        found = re.search(r"^%s +(\d+)" % name, stats, re.MULTILINE)
        return int(found.group(1)) if found else 0

    def forget(self):
        shutil.rmtree(self.directory)


def same_as_fresh(output, options):
    fresh = os.path.join(WORK, "fresh" + "".join(options) + ".o")
    if not os.path.exists(fresh):
        subprocess.run(["ptx-compile", "--no-cache", *options, PTX, "-o", fresh], check=True)
    with open(output, "rb") as a, open(fresh, "rb") as b:
        return a.read() == b.read()


def shares(remotes, what, **settings):
    """What the first machine makes, the second finds, through the remote."""
    first, second = Machine(remotes, **settings), Machine(remotes, **settings)
    check(first.compile()[0] == "made", what + ": the first machine does not make it")
    check(first.counter("remote_stored") == 1, what + ": not uploaded: " + first.said)
    check(second.compile()[0] == "remote", what + ": the second machine does not find it")
    check(second.compile()[0] == "local", what + ": it was not kept")
    check(second.counter("remote_stored") == 0, what + ": uploaded what it downloaded")


def test_nginx():
    with servers.nginx(WORK + "/nginx") as port:
        url = "http://127.0.0.1:%d" % port
        shares(url + "/some/where/", "nginx")
        for folder in ("ac", "cas"):
            names = os.listdir(WORK + "/nginx/files/some/where/" + folder)
            check(len(names) == 1 and re.fullmatch("[0-9a-f]{64}", names[0]),
                  "the layout is not Bazel's")
        reader = Machine(url + "/empty#read-only")
        check(reader.compile()[0] == "made", "found what is not there")
        check(reader.counter("remote_miss") == 1, "a miss is not counted")
        check(reader.counter("remote_stored") == 0, "uploaded to a read-only remote")
        check(Machine(url + "/empty " + url + "/some/where").compile()[0] == "remote",
              "the second remote is not asked")


def test_tls():
    with servers.nginx(WORK + "/tls", tls=True) as port:
        url = "https://localhost:%d" % port
        shares(url, "TLS", remote_ca_file=WORK + "/tls/cert.pem")
        stranger = Machine(url)
        check(stranger.compile()[0] == "made", "trusted a certificate that nobody signed")
        check(stranger.counter("remote_error") == 1, "a bad certificate is not counted")


def test_access():
    token = 'if ($http_authorization != "Bearer s3cret") { return 401; }'
    with servers.nginx(WORK + "/token", access=token) as port:
        url = "http://127.0.0.1:%d" % port
        shares(url, "bearer token", remote_token="s3cret")
        check(Machine(url, remote_token="wrong").compile()[0] == "made", "wrong token")
    # nginx takes {PLAIN} passwords in such a file.
    with open(WORK + "/passwords", "w") as file:
        file.write("me:{PLAIN}pass\n")
    os.chmod(WORK + "/passwords", 0o644)
    basic = "auth_basic x; auth_basic_user_file %s/passwords;" % WORK
    with servers.nginx(WORK + "/basic", access=basic) as port:
        shares("http://me:pass@127.0.0.1:%d" % port, "basic authentication")
        stranger = Machine("http://127.0.0.1:%d" % port)
        check(stranger.compile()[0] == "made", "no password")
        check(stranger.counter("remote_error") == 1, "401 is not counted")


def test_redis():
    with servers.redis() as port:
        shares("redis://127.0.0.1:%d/3" % port, "redis")
    with servers.redis("pass") as port:
        shares("redis://:pass@127.0.0.1:%d" % port, "redis with a password")
        stranger = Machine("redis://127.0.0.1:%d" % port)
        check(stranger.compile()[0] == "made", "no password")
        check(stranger.counter("remote_error") == 1, "NOAUTH is not counted")


def test_signatures():
    for name, text in (("key", "one"), ("other", "two")):
        with open(WORK + "/" + name, "w") as file:
            file.write(text)
    with servers.redis() as port:
        url = "redis://127.0.0.1:%d" % port
        shares(url, "signed", remote_key_file=WORK + "/key")
        other = Machine(url, remote_key_file=WORK + "/other")
        check(other.compile()[0] == "made", "used what another key signed")
        check(other.counter("remote_unsigned") == 1, "a wrong signature is not counted")
    with servers.redis() as port:
        url = "redis://127.0.0.1:%d" % port
        check(Machine(url).compile()[0] == "made", "found what is not there")
        careful = Machine(url, remote_key_file=WORK + "/key")
        check(careful.compile()[0] == "made", "used what nobody signed")
        check(careful.counter("remote_unsigned") == 1, "no signature is not counted")
        lost = Machine(url, remote_key_file=WORK + "/none")
        check(lost.compile()[0] == "made", "trusted a remote without the key")
        check("cannot be read" in lost.said, "a lost key is not said")


# How the server serves: what comes of it, and what is counted.
MODES = [
    ("good", "remote", "hit_remote"),
    ("redirect", "remote", "hit_remote"),
    ("flipped", "made", "remote_bad"),
    ("other", "made", "remote_bad"),
    ("garbage", "made", "remote_bad"),
    ("empty", "made", "remote_bad"),
    ("truncated", "made", "remote_error"),
    ("short", "made", "remote_bad"),
    ("endless", "made", "remote_bad"),
    ("stall", "made", "remote_timeout"),
    ("drip", "made", "remote_timeout"),
    ("silent", "made", "remote_timeout"),
    ("hang_up", "made", "remote_error"),
    ("error", "made", "remote_error"),
    ("forbidden", "made", "remote_error"),
    ("redirect_loop", "made", "remote_error"),
    ("redirect_to_file", "made", "remote_error"),
]


def test_misbehaving():
    with servers.misbehaving() as server:
        url = "http://127.0.0.1:%d" % server.server_port
        check(Machine(url).compile()[0] == "made", "found what is not there")
        for mode, origin, counter in MODES:
            server.mode = mode
            machine = Machine(url + "#read-only", remote_timeout="1500")
            got, seconds = machine.compile()
            check(got == origin, "%s: %s" % (mode, got))
            check(machine.counter(counter) == 1, "%s: %s is not counted" % (mode, counter))
            check(seconds < 15, "%s: took %.1f s" % (mode, seconds))


def test_retries():
    """What fails at once is tried again, so often as the settings say."""
    with servers.misbehaving() as server:
        url = "http://127.0.0.1:%d" % server.server_port
        check(Machine(url).compile()[0] == "made", "found what is not there")
        server.mode = "flaky"
        for retries, origin in (("1", "remote"), ("0", "made")):
            server.requests = 0
            machine = Machine(url + "#read-only", remote_retries=retries)
            check(machine.compile()[0] == origin, "flaky, %s retries: not %s" % (retries, origin))
            check(server.requests == (4 if origin == "remote" else 1),
                  "flaky, %s retries: %d requests" % (retries, server.requests))


def test_refused_uploads():
    with servers.misbehaving() as server:
        server.mode = "full"
        machine = Machine("http://127.0.0.1:%d" % server.server_port)
        check(machine.compile()[0] == "made", "found what is not there")
        check(machine.counter("remote_upload_failed") == 1, "a refused upload is not counted")
        check(machine.compile()[0] == "local", "a refused upload keeps it from the directory")


def test_circuit_breaker():
    """Only the first of several processes waits for a dead remote."""
    with servers.misbehaving() as server:
        server.mode = "silent"
        machine = Machine("http://127.0.0.1:%d" % server.server_port, remote_timeout="700")
        for level in "0123":
            machine.compile("-O" + level)
        check(server.requests == 1, "a dead remote was asked %d times" % server.requests)
        check(machine.counter("remote_skipped") == 3, "skipped look-ups are not counted")
    machine = Machine("http://127.0.0.1:%d" % servers.free_port())
    check(machine.compile()[0] == "made", "nobody listens")
    check(machine.counter("remote_error") == 1, "a refused connection is not counted")
    strange = Machine("gopher://x redis://: " + "http://127.0.0.1:1")
    check(strange.compile()[0] == "made", "addresses that are none")
    check(strange.said.count("is not used") == 2, "bad addresses are not said: " + strange.said)


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    tests = [f for name, f in sorted(globals().items()) if name.startswith("test_")]
    for test in tests:
        test()
        shutil.rmtree(os.path.join(WORK, "files"), ignore_errors=True)
    print("%d tests, %d failures" % (len(tests), len(failures)))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
