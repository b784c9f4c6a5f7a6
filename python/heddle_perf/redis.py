"""A client of Redis: as much of it as a queue needs."""
import socket
from typing import Union
from urllib.parse import unquote, urlsplit

Reply = Union[None, int, bytes, list]
TIMEOUT_SECONDS = 60


class RedisError(Exception):
    """What the server, or the way to it, says."""


class Redis:
    """A connection, of one thread."""

    def __init__(self, address: str):
        """redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]"""
        where = urlsplit(address)
        if where.scheme != "redis" or not where.hostname:
            raise RedisError("'%s' is not redis://HOST[:PORT][/DATABASE]" % address)
        try:
            place = (where.hostname, where.port or 6379)
            self._socket = socket.create_connection(place, TIMEOUT_SECONDS)
        except (OSError, ValueError) as problem:
            raise RedisError("%s: %s" % (address, problem)) from None
        self._file = self._socket.makefile("rb")
        if where.password:
            user = [unquote(where.username)] if where.username else []
            self("AUTH", *user, unquote(where.password))
        if where.path.strip("/"):
            self("SELECT", where.path.strip("/"))

    def close(self) -> None:
        self._file.close()
        self._socket.close()

    def __call__(self, *words: Union[str, bytes, int]) -> Reply:
        data = [w if isinstance(w, bytes) else str(w).encode() for w in words]
        text = b"*%d\r\n" % len(data) + b"".join(b"$%d\r\n%s\r\n" % (len(d), d) for d in data)
        try:
            self._socket.sendall(text)
            return self._reply()
        except OSError as problem:
            raise RedisError(str(problem)) from None

    def _line(self) -> bytes:
        line = self._file.readline()
        if not line.endswith(b"\r\n"):
            raise RedisError("the connection was closed")
        return line[:-2]

    def _reply(self) -> Reply:
        line = self._line()
        kind, rest = line[:1], line[1:]
        if kind == b"-":
            raise RedisError(rest.decode(errors="replace"))
        if kind == b":":
            return int(rest)
        if kind == b"+":
            return rest
        if kind == b"$":
            size = int(rest)
            return None if size < 0 else self._file.read(size + 2)[:-2]
        if kind == b"*":
            count = int(rest)
            return None if count < 0 else [self._reply() for _ in range(count)]
        raise RedisError("the server's answer begins with %r" % kind)
