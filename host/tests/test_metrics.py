# SPDX-License-Identifier: Apache-2.0
"""What stands around pagepressctl metrics: node_exporter's text folder, Prometheus's rules, the dashboard; by their own programs."""

import contextlib
import html
import itertools
import json
import os
import random
import re
import subprocess
import time
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

SYSTEM = Path(__file__).resolve().parents[1] / "system"
SECONDS = 600  # for a server to start on a machine as busy as can be


@pytest.fixture(scope="module")
def tools(built):
    """The folder of promtool, prometheus and prometheus-node-exporter."""
    return built("metrics-tools")


def promtool(tools, *words, text=None):
    done = subprocess.run([tools / "promtool", *words], input=text, capture_output=True, text=True, cwd=SYSTEM, timeout=SECONDS)
    assert done.returncode == 0, done
    return done.stdout + done.stderr


def names_of(textfile):
    """The names of the samples in a text file."""
    return set(re.findall(r"^(\w+)[{ ]", textfile, re.M))


def queries():
    """(where it stands, query) of the dashboard and the alerts."""
    dashboard = json.loads((SYSTEM / "dashboard.json").read_text())
    for panel in dashboard["panels"]:
        yield from ((f"panel '{panel['title']}'", target["expr"]) for target in panel["targets"])
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            yield f"variable {variable['name']}", re.match(r"label_values\((.*), \w+\)$", variable["query"]["query"])[1]
    alerts = (SYSTEM / "alerts.yml").read_text()
    for rule in re.findall(r"- alert: (\w+)\n +expr: (?:\|\n)?(.*?)\n +(?:for|labels):", alerts, re.S):
        yield rule
    assert alerts.count("- alert:") == len(re.findall(r"- alert: (\w+)\n +expr: (?:\|\n)?(.*?)\n +(?:for|labels):", alerts, re.S))


def textfile(machine, path):
    done = machine.run("metrics", "--textfile", path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done
    assert not [file for file in path.parent.iterdir() if file.name.startswith(path.name) and file != path]  # nothing half-written beside it
    return path.read_text()


def test_metrics_text_file(machine, tools, tmp_path):
    """promtool takes it; it says what the OpenMetrics text says; the old one stays where a new one cannot be had."""
    figures = machine.disk(0), machine.disk(3)
    machine.latencies()
    folder = tmp_path / "text files"
    folder.mkdir()
    path = folder / "pagepress.prom"
    text = textfile(machine, path)
    # It lints names too: those of counters and units are right.
    promtool(tools, "check", "metrics", text=text)
    samples = {line for line in text.splitlines() if not line.startswith("#")}
    others = {line for line in machine.run("metrics").stdout.splitlines() if not line.startswith("#")}
    assert others < samples and all("_duration_seconds_" in line for line in samples - others)
    assert f'pagepress_pages_stored{{device="pagepress3"}} {figures[1]["PagesStored"]}' in samples
    machine.put("block/pagepress0/pagepress/NumReads", "many")
    machine.refused(3, "NumReads", "metrics", "--textfile", path)
    assert path.read_text() == text
    machine.put("block/pagepress0/pagepress/NumReads", 1)
    machine.refused(4, "cannot be written: No such file", "metrics", "--textfile", folder / "nowhere/x.prom")


def test_metrics_text_file_replaces_no_device(machine, tmp_path):
    """What the name stands for, if not a plain file, is left alone: /dev/full, say, of a root who wants to see what happens."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/stdout")
    for name in ("pipe", "link", "."):
        machine.refused(4, "not replaced: it is no plain file", "metrics", "--textfile", tmp_path / name)
    assert (tmp_path / "pipe").is_fifo() and (tmp_path / "link").is_symlink() and len(list(tmp_path.iterdir())) >= 2


def test_metrics_text_file_on_a_full_file_system(machine, tmp_path):
    """However little did not get into it: the old one stays, and nothing lies beside it."""
    path = tmp_path / "pagepress.prom"
    for blocks in (0, 1):
        path.write_text("old")
        limited = ["bash", "-c", f'trap "" XFSZ; ulimit -f {blocks}; exec "$@"', "-", machine.program, "metrics", "--textfile", path]
        done = subprocess.run(limited, capture_output=True, text=True, env=machine.environment, timeout=SECONDS)
        assert (done.returncode, done.stdout) == (4, "") and done.stderr == f"pagepressctl: {path}: cannot be written: File too large\n", done
        assert path.read_text() == "old" and [file.name for file in tmp_path.iterdir() if file.name.startswith(path.name)] == [path.name]
        machine.disk()  # with one it is longer than a buffer


def test_metrics_text_file_goes_into_no_file_of_others(machine, tmp_path):
    """Whoever may write into the folder cannot have root write elsewhere."""
    (tmp_path / "precious").write_text("of somebody")
    path = tmp_path / "pagepress.prom"
    links = f'ln -s precious {path.name}.new; ln -s precious {path.name}.$$.new; exec "$@"'
    done = subprocess.run(["sh", "-c", links, "-", machine.program, "metrics", "--textfile", path], cwd=tmp_path, env=machine.environment, timeout=SECONDS)
    assert done.returncode == 0
    assert path.read_text() and not path.is_symlink() and (tmp_path / "precious").read_text() == "of somebody"


def test_metrics_alerts(tools):
    assert "SUCCESS" in promtool(tools, "check", "rules", "alerts.yml")
    assert "SUCCESS" in promtool(tools, "test", "rules", "alerts.test.yml")


def test_metrics_queries_name_exported_figures(machine, tools, tmp_path):
    machine.disk()
    machine.card()
    machine.firmware()
    machine.latencies()
    exported = names_of(textfile(machine, tmp_path / "pagepress.prom"))
    checked = 0
    for where, query in queries():
        used = set(re.findall(r"\b(?:pagepress|node)_\w+(?![\w\"=]|=~)", re.sub(r"\{[^}]*\}", "", query)))
        assert used and used - exported <= {"node_textfile_mtime_seconds"}, (where, used - exported)
        checked += len(used)
    assert checked > 30
    # Whether Prometheus can parse them: as rules of its own.
    rules = [{"record": f"q{n}", "expr": query.replace("$__rate_interval", "1m")} for n, (_, query) in enumerate(queries())]
    (tmp_path / "rules.yml").write_text(json.dumps({"groups": [{"name": "queries", "rules": rules}]}))
    assert f"{len(rules)} rules found" in promtool(tools, "check", "rules", tmp_path / "rules.yml")


def test_metrics_picture_is_of_this_dashboard():
    """The documents' picture has the panels that there are, each with what Prometheus answered; `make pictures` draws it anew."""
    panels = {panel["title"] for panel in json.loads((SYSTEM / "dashboard.json").read_text())["panels"]}
    drawn = (SYSTEM / "dashboard.svg").read_text()
    shown = re.findall(r'font-weight="bold">(.*?)</text>(.*?)</g>', drawn)
    assert {html.unescape(title) for title, _ in shown} == panels
    assert all('fill="none"' in chart for _, chart in shown)


def own_address():
    """Of the loopback network, this process's own: whatever else runs on the machine, and whoever connects to something, takes no port there."""
    number = os.getpid()
    return f"127.{number >> 16 & 0xFF}.{number >> 8 & 0xFF}.{number & 0xFF}"


@contextlib.contextmanager
def server(folder, *command):
    with open(folder / f"{Path(command[0]).name}.log", "wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def until(what, process):
    """What `what` returns once it is something; the failure names the process that should have made it so."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            if found := what():
                return found
        assert process.poll() is None, process.args
        time.sleep(0.2)
    pytest.fail(f"nothing came of {process.args}", pytrace=False)


def get(url):
    with urllib.request.urlopen(url, timeout=SECONDS) as answer:
        return answer.read().decode()


def test_metrics_reach_prometheus(machine, tools, tmp_path):
    """pagepressctl, node_exporter, Prometheus: every panel's query has an answer, and a lost card becomes an alert."""
    machine.disk(0)
    machine.card()
    machine.firmware()
    machine.latencies()
    folder, data = tmp_path / "textfiles", tmp_path / "data"
    folder.mkdir()
    exporter_at, prometheus_at = f"{own_address()}:9100", f"{own_address()}:9090"
    rules = (SYSTEM / "alerts.yml").read_text().replace("for: 1m", "for: 0s")
    (tmp_path / "alerts.yml").write_text(rules)
    (tmp_path / "prometheus.yml").write_text(
        json.dumps({
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(tmp_path / "alerts.yml")],
            "scrape_configs": [{"job_name": "node", "static_configs": [{"targets": [exporter_at]}]}],
        })
    )
    exporter_words = ["--collector.disable-defaults", "--collector.textfile", f"--collector.textfile.directory={folder}", f"--web.listen-address={exporter_at}"]
    prometheus_words = [f"--config.file={tmp_path / 'prometheus.yml'}", f"--storage.tsdb.path={data}", f"--web.listen-address={prometheus_at}"]
    numbers = itertools.count(1)

    def tell():
        machine.put("block/pagepress0/pagepress/card_pages_out", 1000 * next(numbers))
        textfile(machine, folder / "pagepress.prom")

    def ask(query):
        tell()
        answer = json.loads(get(f"http://{prometheus_at}/api/v1/query?{urllib.parse.urlencode({'query': query})}"))
        assert answer["status"] == "success", answer
        return answer["data"]["result"]

    tell()
    with server(tmp_path, tools / "prometheus-node-exporter", *exporter_words) as exporter:
        scraped = until(lambda: get(f"http://{exporter_at}/metrics"), exporter)
        assert "node_textfile_scrape_error 0" in scraped and "pagepress_orig_data_size_bytes{" in scraped
        with server(tmp_path, tools / "prometheus", *prometheus_words) as prometheus:
            until(lambda: ask("rate(pagepress_card_pages_out_total[1m]) > 0"), prometheus)
            for where, query in queries():
                if where.startswith(("panel", "variable")):
                    query = query.replace("$__rate_interval", "1m").replace("$instance", ".*").replace("$device", ".*").removesuffix(" > 0")
                    assert ask(query), where
            machine.put("block/pagepress0/pagepress/card_state", "dead")
            firing = 'ALERTS{alertname="PagepressCardLost",alertstate="firing"}'
            until(lambda: ask(firing), prometheus)
