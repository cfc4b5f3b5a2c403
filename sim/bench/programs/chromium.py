# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, all its processes, after it laid out a long page of text, tables, pictures and a canvas."""
import functools
import html
import http.server
import threading
from pathlib import Path

from ..pictures import picture, portable
from ..workplace import texts, unpacked

TITLE = "Chromium showing a long page"
STYLE = "body{font:15px serif;columns:2}pre{background:#eee}td{border:1px solid #888}img{width:100%}"
SCRIPT = """
addEventListener('load', () => {
  const canvas = document.querySelector('canvas'), pen = canvas.getContext('2d');
  for (let i = 0; i < 4000; i++) {
    pen.fillStyle = `hsl(${i % 360} 70% 50% / .3)`;
    pen.fillRect(i * 37 % 1200, i * 53 % 800, 40, 30);
  }
  globalThis.words = [...document.body.innerText.matchAll(/\\w{4,}/g)].map((m, i) => ({ word: m[0], at: m.index, i }));
  setTimeout(() => fetch('/ready'), 1000);
});
"""


def at_work(place):
    browser = unpacked("chromium-headless-shell", "usr/lib/chromium/chromium-headless-shell")
    place.write("index.html", page())
    for number in range(3):
        place.write(f"{number}.png", portable(picture(number, 1200, 800)))
    ready = threading.Event()
    handler = functools.partial(Handler, directory=str(place.folder), ready=ready)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            process = place.start(browser, "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0",
                                  f"--user-data-dir={place.folder}/profile", "--window-size=1280,4000",
                                  f"http://127.0.0.1:{server.server_port}/index.html")
            place.wait_until(process, "done with its page", ready.is_set)
        finally:
            server.shutdown()
    return family(process.pid)


def page():
    parts = []
    for number, (path, text) in enumerate(texts(1_200_000)):
        lines = text.splitlines()
        rows = "".join(f"<tr><td>{i}<td>{len(line)}<td>{html.escape(line[:60])}" for i, line in enumerate(lines[:20]))
        image = f"<img src='{number // 10}.png'>" if number % 10 == 0 and number < 30 else ""
        parts.append(f"<h2>{html.escape(Path(path).name)}</h2>{image}<table>{rows}</table>"
                     f"<pre>{html.escape(text[:20000])}</pre>")
    return (f"<!doctype html><title>Library</title><style>{STYLE}</style><script>{SCRIPT}</script>"
            f"<canvas width=1200 height=800></canvas>{''.join(parts)}")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the folder; the page asks for /ready when it has drawn itself."""

    def __init__(self, *arguments, ready, **options):
        self.ready = ready
        super().__init__(*arguments, **options)

    def do_GET(self):
        if self.path == "/ready":
            self.send_response(204)
            self.end_headers()
            self.ready.set()
        else:
            super().do_GET()

    def log_message(self, *_):
        pass


def family(pid):
    """A process and all that descend from it."""
    children = [int(child) for task in Path(f"/proc/{pid}/task").iterdir()
                for child in (task / "children").read_text().split()]
    return [pid] + [member for child in children for member in family(child)]
