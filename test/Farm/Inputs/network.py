"""A farm over the loopback's network, with and without TLS, and what it says of itself."""
import os
import pathlib
import signal
import subprocess
import tempfile

from farm import SAXPY


def compile_by(folder, address, name, **settings):
    environment = {**os.environ, "HEDDLE_CACHE_MODE": "on", "HEDDLE_CACHE_DIR": f"{folder}/{name}",
                   "HEDDLE_CACHE_FARM": address, **settings}
    done = subprocess.run(["ptx-compile", SAXPY, "-o", f"{folder}/{name}.hdo"], env=environment, capture_output=True,
                          text=True, check=True)
    return done.stdout + done.stderr


def status(address, *options, **settings):
    done = subprocess.run(["ptx-farm", "status", *options, address], capture_output=True, text=True, check=False,
                          env={**os.environ, **settings})
    return done.stdout + done.stderr


with tempfile.TemporaryDirectory() as text:
    folder = pathlib.Path(text)
    certificate, key, tokens = folder / "certificate.pem", folder / "key.pem", folder / "tokens"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate], check=True,
                   capture_output=True)
    tokens.write_text("client secret\n", encoding="utf-8")
    tokens.chmod(0o600)
    serving = subprocess.Popen(
        ["ptx-farm", "serve", f"--tokens={tokens}", f"--certificate={certificate}", f"--key={key}",
         f"--cache-set=dir={folder}/farm", "--cache-set=mode=on", "http://localhost:0", "https://localhost:0"],
        stdout=subprocess.PIPE, text=True)
    plain, safe = (serving.stdout.readline().split()[-1] for _ in range(2))
    secret = {"HEDDLE_CACHE_FARM_TOKEN": "secret"}
    trusted = {"HEDDLE_CACHE_REMOTE_CA_FILE": str(certificate)}
    try:
        assert not compile_by(folder, plain, "plain", **secret)
        assert not compile_by(folder, safe, "safe", **secret, **trusted)
        assert '"compiled": 1,' in status(plain, "--token=secret")
        # A certificate that is not trusted, as by a system that trusts none, and no token: compiled here, and said where
        # a user has to do something.
        compile_by(folder, safe, "foreign", **secret)
        assert "wants a token" in compile_by(folder, plain, "nobody")
        assert "401" in status(plain) and "cert" in status(safe, "--token=secret").lower()
        shown = status(safe, "--metrics", "--token=secret", **trusted)
        assert "heddle_farm_requests_total 2\n" in shown and shown.endswith("# EOF\n"), shown
        assert "heddle_farm_unauthorized_total 2\n" in shown, shown
        objects = {(folder / f"{name}.hdo").read_bytes() for name in ("plain", "safe", "foreign", "nobody")}
        assert len(objects) == 1
    finally:
        serving.send_signal(signal.SIGTERM)
        assert serving.wait(30) == 0
print("over the network")
