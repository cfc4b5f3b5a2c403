# SPDX-License-Identifier: Apache-2.0
"""A Redis server after a web shop's sessions, baskets, page views and best-seller lists were loaded."""
import json
import random
import socket

from .. import SEED
from ..workplace import unpacked

TITLE = "Redis holding sessions, baskets and rankings"
SESSIONS = 25_000


def at_work(place):
    server = place.start(unpacked("redis-server", "usr/bin/redis-server"), "--port", 0, "--unixsocket", "redis.socket",
                         "--save", "", "--appendonly", "no", "--daemonize", "no")
    path = place.folder / "redis.socket"
    place.wait_until(server, "listening", path.exists)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        replies = connection.makefile("rb")
        choice = random.Random(SEED)
        for number in range(SESSIONS):
            commands = list(session(choice, number))
            connection.sendall(b"".join(map(encode, commands)))
            for _ in commands:
                if replies.readline().startswith(b"-"):
                    raise RuntimeError("the server refused a command of this file")
    return [server.pid]


def session(choice, number):
    """The commands that one visitor of the shop causes; each is answered by one line."""
    user, now = choice.randrange(10**6), 1_700_000_000 + 7 * number
    token = f"{choice.getrandbits(128):032x}"
    about = {"user": user, "started": now, "language": choice.choice(["en", "de", "fr", "ja", "pt-BR"]),
             "agent": f"Mozilla/5.0 (X11; Linux x86_64; rv:{choice.randrange(100, 140)}.0) Gecko/20100101",
             "roles": choice.sample(["customer", "seller", "support", "beta", "press"], choice.randrange(1, 4))}
    yield "SETEX", f"session:{token}", 86_400, json.dumps(about)
    yield "HSET", f"basket:{user}", f"article:{choice.randrange(5000)}", choice.randrange(1, 9)
    yield "ZADD", "rank:views", now, f"article:{int(choice.paretovariate(1.1)) % 5000}"
    yield "RPUSH", f"history:{user % 4000}", f"/shop/article/{choice.randrange(5000)}?from=search&page={choice.randrange(9)}"
    yield "SADD", f"seen:{now // 3600}", user


def encode(words):
    parts = [f"*{len(words)}\r\n".encode()]
    for word in words:
        data = str(word).encode()
        parts.append(b"$%d\r\n%s\r\n" % (len(data), data))
    return b"".join(parts)
