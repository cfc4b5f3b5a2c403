# SPDX-License-Identifier: Apache-2.0
"""An SQLite shell with a database of this machine's files in memory, indexed, searched and joined."""
import os
import subprocess

from ..workplace import unpacked

TITLE = "SQLite with an index of 60 000 files"
FILES = 60_000
SCHEMA = """
pragma cache_size = -65536;
create table folder(id integer primary key, path text not null unique);
create table file(id integer primary key, folder integer not null references folder, name text not null,
                  bytes integer, modified real, mode integer, owner text);
"""
WORK = """
create index file_by_name on file(name, bytes);
create index file_by_time on file(modified desc, folder);
create table summary as select folder.path, count(*) as files, sum(bytes) as total, max(modified) as latest,
    group_concat(name, '/') as listing from file join folder on folder.id = file.folder group by folder.path;
update file set owner = 'large' where bytes > (select avg(bytes) from file);
select 'ready' where (select count(*) from file a join file b using (name) where a.id < b.id) >= 0;
"""


def at_work(place):
    shell = place.start(unpacked("sqlite3", "usr/bin/sqlite3"), ":memory:",
                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    shell.stdin.write((SCHEMA + "begin;\n" + "".join(rows()) + "commit;\n" + WORK).encode(errors="replace"))
    shell.stdin.flush()
    place.wait_for_line(shell, "ready")
    return [shell.pid]


def rows():
    count = 0
    for number, (folder, folders, names) in enumerate(os.walk("/usr")):
        folders.sort()
        yield f"insert into folder values({number}, {quote(folder)});\n"
        for name in sorted(names):
            try:
                about = os.lstat(os.path.join(folder, name))
            except OSError:
                continue
            count += 1
            yield (f"insert into file values({count}, {number}, {quote(name)}, {about.st_size}, "
                   f"{about.st_mtime}, {about.st_mode}, 'user{about.st_uid}');\n")
        if count >= FILES:
            return


def quote(text):
    return "'" + text.replace("'", "''") + "'"
