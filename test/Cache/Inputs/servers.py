"""Servers for tests of the cache's remotes: nginx with WebDAV, redis-server, and
an HTTP server that misbehaves on request. All listen on the loopback interface
only, on a port that the system chooses, and end with the test.
"""
import contextlib
import http.server
import os
import shutil
import socket
import socketserver
import subprocess
import threading
import time


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(port):
    for _ in range(500):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), 0.2).close()
            return
        time.sleep(0.02)
    raise RuntimeError("no server on port %d" % port)


@contextlib.contextmanager
def running(command, port):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(port)
        yield process
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def redis(password=None):
    port = free_port()
    command = [shutil.which("redis-server") or "/usr/bin/redis-server", "--port", str(port),
               "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    if password:
        command += ["--requirepass", password]
    with running(command, port):
        yield port


NGINX = """
daemon off; master_process off; pid {root}/pid; error_log {root}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log {root}/access.log;
  client_body_temp_path {root}/body; proxy_temp_path {root}/proxy;
  fastcgi_temp_path {root}/f; uwsgi_temp_path {root}/u; scgi_temp_path {root}/s;
  server {{
    listen 127.0.0.1:{port} {tls};
    {certificate}
    root {root}/files;
    client_max_body_size 100m;
    location / {{ dav_methods PUT DELETE; create_full_put_path on; {access} }}
  }}
}}
"""


def make_certificate(root):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-keyout", root + "/key.pem", "-out", root + "/cert.pem",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
                   check=True, capture_output=True)
    return "ssl_certificate %s/cert.pem; ssl_certificate_key %s/key.pem;" % (root, root)


@contextlib.contextmanager
def nginx(root, tls=False, access=""):
    """access: directives that ask for a token or a password."""
    port = free_port()
    os.makedirs(root + "/files")
    certificate = make_certificate(root) if tls else ""
    with open(root + "/conf", "w") as file:
        file.write("user root;" if os.geteuid() == 0 else "")
        file.write(NGINX.format(root=root, port=port, tls="ssl" if tls else "",
                                certificate=certificate, access=access))
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    with running([program, "-c", root + "/conf", "-e", root + "/error.log"], port):
        yield port


class Misbehaving(http.server.BaseHTTPRequestHandler):
    """Stores what it is given, and serves it in the way that mode says."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests += 1
        refused = self.server.mode == "full"
        if not refused:
            self.server.stored[self.path] = body
        self.send_response(507 if refused else 201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self):
        self.server.requests += 1
        getattr(self, self.server.mode)(self.server.stored.get(self.path))

    def give(self, body, length=None):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def missing(self):
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def good(self, body):
        self.give(body) if body is not None else self.missing()

    def full(self, body):
        """Takes no uploads."""
        self.good(body)

    def flaky(self, body):
        """Every other request fails."""
        self.error(body) if self.server.requests % 2 else self.good(body)

    def flipped(self, body):
        """One bit of the file is wrong."""
        if "/cas/" in self.path and body:
            body = body[:-1] + bytes([body[-1] ^ 1])
        self.good(body)

    def other(self, body):
        """The bytes of some other file."""
        others = [v for k, v in self.server.stored.items() if k != self.path]
        self.give(others[-1] if others else b"x")

    def garbage(self, body):
        self.give(b"<html>It works!</html>")

    def empty(self, body):
        self.give(b"")

    def truncated(self, body):
        self.give(body[: len(body) // 2], len(body))
        self.close_connection = True

    def short(self, body):
        self.give(body[: len(body) // 2])

    def endless(self, body):
        self.give(b"", 1 << 40)
        with contextlib.suppress(OSError):
            while not self.server.ending:
                self.wfile.write(b"x" * 65536)
        self.close_connection = True

    def stall(self, body):
        self.give(body[:10], len(body))
        while not self.server.ending:
            time.sleep(0.05)
        self.close_connection = True

    def drip(self, body):
        """A byte now and then, so that no single read times out."""
        self.give(b"", len(body))
        with contextlib.suppress(OSError):
            for byte in body:
                if self.server.ending:
                    break
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                time.sleep(0.1)
        self.close_connection = True

    def silent(self, body):
        while not self.server.ending:
            time.sleep(0.05)
        self.close_connection = True

    def hang_up(self, body):
        self.close_connection = True

    def error(self, body):
        self.send_response(500)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def forbidden(self, body):
        self.send_response(403)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def redirect(self, body):
        """To the same file under another path, which serves it."""
        if self.path.startswith("/moved"):
            return self.good(self.server.stored.get(self.path[len("/moved"):]))
        self.send_response(302)
        self.send_header("Location", "/moved" + self.path)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def redirect_loop(self, body):
        self.send_response(302)
        self.send_header("Location", self.path)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def redirect_to_file(self, body):
        self.send_response(302)
        self.send_header("Location", "file:///etc/passwd")
        self.send_header("Content-Length", "0")
        self.end_headers()


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def handle_error(self, request, address):
        pass  # clients hang up on a server like this


@contextlib.contextmanager
def misbehaving():
    server = Server(("127.0.0.1", 0), Misbehaving)
    server.stored, server.mode, server.requests, server.ending = {}, "good", 0, False
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server
    finally:
        server.ending = True
        server.shutdown()
        thread.join()
        server.server_close()
