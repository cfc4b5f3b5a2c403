# SPDX-License-Identifier: Apache-2.0
"""Files of the tree that the site shows as pages though they are no Markdown: manual pages, by mandoc; descriptions of sysfs in the form of the kernel's
Documentation/ABI; and headers and bindings of devices, as they are. Each becomes Markdown with headings, which menu and search know."""
import html
import posixpath
import re
import subprocess

MANUAL = re.compile(r"(?:.*/)?([\w.-]+)\.([1-8])$")
SYSFS = re.compile(r"(?:.*/)?sysfs-[\w-]+$")
AS_IT_IS = re.compile(r"driver/devicetree/.*\.yaml$|host/libpagepress/include/.*/pagepress\.h$|firmware/soc/pagepress_soc\.h$")
SECTION = re.compile(r'<section class="Sh">\s*<h1[^>]*>(?:<a[^>]*>)?(.*?)(?:</a>)?</h1>(.*?)</section>', re.S)


def is_converted(name):
    return bool(MANUAL.match(name) or SYSFS.match(name) or AS_IT_IS.match(name))


def page(root, name, names):
    """The Markdown of the file `name` below `root`; `names` are all that are converted."""
    if MANUAL.match(name):
        done = subprocess.run(["mandoc", "-T", "html", "-O", "fragment", root / name], capture_output=True, text=True, check=True)
        return manual(done.stdout, name, names)
    text = (root / name).read_text()
    return sysfs(text, name) if SYSFS.match(name) else as_it_is(text, name)


def manual(text, name, names):
    """Of mandoc's HTML: its sections with headings of ours, other manual pages of the tree as links."""
    pages = {MANUAL.match(other).groups(): other for other in names if MANUAL.match(other)}

    def link(match):
        other = pages.get((match[2], match[3]))
        return f'<a href="{posixpath.relpath(other, posixpath.dirname(name))}.html">{match[0]}</a>' if other and other != name else match[0]

    text = re.sub(r'<a class="permalink"[^>]*>(.*?)</a>', r"\1", text, flags=re.S)
    text = re.sub(r"<(b|i)>([\w.-]+)</\1>\((\d)\)", link, text)
    title = "# {}({})\n".format(*MANUAL.match(name).groups())
    return title + "".join(f"\n## {' '.join(heading.split()).capitalize()}\n\n<div>\n{body.strip()}\n</div>\n" for heading, body in SECTION.findall(text))


def sysfs(text, name):
    """A heading a folder, and below it one a file."""
    folders = {}
    for entry in re.split(r"\n\n(?=What:)", text)[1:]:
        fields, _, description = entry.partition("Description:\n")
        places = [place for line in re.findall(r"^(?:What:)?\t+(/\S+)$|^What:\t+(\S+)$", fields, re.M) for place in line if place]
        title = ", ".join(posixpath.basename(place) for place in places)
        paragraphs = re.split(r"\n\s*\n", description.strip())
        folders.setdefault(posixpath.dirname(places[0]), []).append("\n".join(
            [f"### {html.escape(title)}", "", *(f"<p><code>{html.escape(place)}</code></p>" for place in places),
             *(f"<p>{html.escape(' '.join(paragraph.split()), quote=False)}</p>" for paragraph in paragraphs), ""]))
    return f"# {posixpath.basename(name)}\n\n" + "\n".join(f"## {html.escape(folder)}\n\n" + "\n".join(entries) for folder, entries in folders.items())


def as_it_is(text, name):
    return f"# {posixpath.basename(name)}\n\n```text\n{text}```\n"
