"""A farm bounds what it accepts: who is too many comes again, and all are served."""
import subprocess

from farm import Farm, farm, finish, long_input, message, variant

with farm("--workers=1", "--waiting=1") as serving:
    sources = [variant(serving.folder, i) for i in range(8)]
    finish(*(serving.client(f"client{i}", source) for i, source in enumerate(sources)))
    counted = serving.status()
    assert counted["compiled"] == 8, counted
    waited = sum(serving.counters(f"client{i}").get("farm_busy", 0) for i in range(8))
    assert counted["no_room"] == waited, (counted, waited)

    # With the worker and the place taken, there is no room for a third.
    slow = long_input(serving.folder)
    held = [serving.client(f"held{i}", slow, f"-O{i + 1}") for i in range(2)]
    serving.until(lambda now: now["accepted"] == 2)
    status, said = serving.send(message(sources[0].read_bytes()))
    assert (status, said) == (503, b"no room"), (status, said)
    finish(*held)

    # What is no request, what wants a file, and what is of another build is refused.
    for body in (b"", b"x" * 100, message(b".version 8.0")[:-1]):
        assert serving.send(body)[0] == 400
    secret = serving.folder / "secret"
    secret.write_text("-O0 --no-such-option", encoding="utf-8")
    for option in (f"--options-file={secret}", f"--fprofile-use={secret}", f"--tuning={secret}", "--mllvm=-debug",
                   f"--cache-dir={serving.folder}", f"--output-file={secret}", str(secret)):
        status, said = serving.send(message(b".version 8.0", option))
        assert status == 400 and b"no-such-option" not in said, (option, status, said)
    assert serving.send(message(b""), Heddle_Build="0")[0] == 409

with farm("--workers=1", "--time=1") as serving:
    # What takes too long there is compiled by whoever wants it.
    slow = long_input(serving.folder, 60_000)
    finish(serving.client("slow", slow, "-O1"))
    assert serving.counters("slow")["farm_refused"] == 1, serving.counters("slow")

with farm() as first:
    # One client's requests do not use up the room of another's.
    tokens = first.folder / "tokens"
    tokens.write_text("# clients\nanna secret-a\nbert secret-b\n", encoding="utf-8")
    tokens.chmod(0o644)

    def refused(*arguments):
        done = subprocess.run(["ptx-farm", "serve", *arguments], capture_output=True, text=True, check=False,
                              timeout=30, env=first.environment)
        assert done.returncode == 1, done
        return done.stderr

    assert "others may read" in refused(f"--tokens={tokens}", f"unix:{first.folder}/x")
    assert "serves at" in refused(f"unix:{first.path}")
    assert "no socket" in refused(f"unix:{tokens}")
    assert "so it needs --tokens" in refused("http://0.0.0.0:0")
    assert "--certificate" in refused("https://127.0.0.1:0")
    assert "an address is" in refused("ftp://127.0.0.1:0")
    tokens.chmod(0o600)
    guarded_folder = first.folder / "g"
    guarded_folder.mkdir()
    guarded = Farm(guarded_folder, "--workers=1", "--per-client=1", f"--tokens={tokens}")
    try:
        status = guarded.status("--token=secret-a")
        guarded.status = lambda *options: Farm.status(guarded, "--token=secret-a")
        said, = finish(guarded.client("without", variant(guarded_folder, 0)))
        assert "wants a token" in said, said
        slow = long_input(guarded_folder)
        held = guarded.client("held", slow, "-O1", farm_token="secret-a")
        guarded.until(lambda now: now["accepted"] == 1)
        source = variant(guarded_folder, 1).read_bytes()
        assert guarded.send(message(source), Authorization="Bearer secret-a")[0] == 429
        assert guarded.send(message(source), Authorization="Bearer secret-c")[0] == 401
        assert guarded.send(message(source), Authorization="Bearer secret-b")[0] == 200
        finish(held)
        assert guarded.counters("held")["farm_made"] == 1
    finally:
        guarded.stop()
print("bounded")
