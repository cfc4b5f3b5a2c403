# SPDX-License-Identifier: Apache-2.0
"""What is in a release, and what made it, as an SPDX 2.3 document: archives and packages with their licences, what these packages link, hold and were
built with, and what rtl/pom.xml names."""
import functools
import hashlib
import json
import re
import subprocess
import tarfile
from urllib.parse import quote
from xml.etree import ElementTree

LICENCE = re.compile(rb"SPDX-License-Identifier:[ \t]*([\w.+() -]*[\w.+)])")
NOBODY = "NOASSERTION"
# Libraries of headers alone whose code is in the programs of a Debian package, which does not say so.
COMPILED_IN = {"pagepress-tools": ("libcli11-dev", "nlohmann-json3-dev"), "pagepress-xrt": ("libcli11-dev", "nlohmann-json3-dev")}
# Of libraries that are linked or compiled in, as their copyright files in Debian have it; of the rest nothing is asserted.
LICENCES = {"libcli11-dev": "BSD-3-Clause", "nlohmann-json3-dev": "MIT", "liblzo2-2": "GPL-2.0-or-later", "liblzo2-dev": "GPL-2.0-or-later",
            "libnettle8": "LGPL-3.0-or-later OR GPL-2.0-or-later", "nettle-dev": "LGPL-3.0-or-later OR GPL-2.0-or-later",
            "libuuid1": "BSD-3-Clause", "uuid-dev": "BSD-3-Clause"}


def stanzas(text):
    """The stanzas of a file as Debian's control files are: each {field: value}."""
    found = ({name: " ".join(value.split()) for name, value in re.findall(r"^([\w-]+):(.*(?:\n[ \t].*)*)", stanza, re.M)} for stanza in re.split(r"\n\n+", text))
    return [stanza for stanza in found if stanza]


def names(field):
    """Packages that a field names, the first of alternatives; none of its variables."""
    return re.findall(r"(?:^|,)\s*([a-z0-9][a-z0-9.+-]*)", field)


@functools.cache
def described(package):
    """The fields of a Debian package."""
    return stanzas(subprocess.run(["dpkg-deb", "-f", package], capture_output=True, text=True, check=True).stdout)[0]


def source_of(package, archives):
    """The archive that a Debian package was made from: the one it names as its source, or the one of its own name."""
    fields = described(package)
    wanted = f"{fields.get('Source', fields['Package']).split()[0]}_{fields['Version']}.tar.xz"
    return next(path for path in archives if path.name == wanted)


@functools.cache  # of a source, asked for with each package that was made from it
def looked_into(path):
    """Of an archive: the licence expression of each of its files that says one in its first lines, and the stanzas of debian/control."""
    said, control = set(), []
    with tarfile.open(path) as tar:
        for entry in tar:
            if entry.isfile() and (found := LICENCE.search(tar.extractfile(entry).read(600))):
                said.add(found[1].decode())
            if re.fullmatch(r"[^/]+/debian/control", entry.name):
                control = stanzas(tar.extractfile(entry).read().decode())
    return said, control


def licences(path):
    """What all files of an archive are under: each one's expression whole, with its choices in brackets."""
    whole = {f"({said})" if re.search(r" (OR|AND) ", said) and not re.fullmatch(r"\([^()]*\)", said) else said for said in looked_into(path)[0]}
    return " AND ".join(sorted(whole)) or NOBODY


def surroundings(path, source):
    """(relationship, name) of the Debian packages that one runs with, has in it and was built with. What is in its `Depends`, and not in that of the
    source, are the libraries that its programs were found to load.
    """
    fields, control = described(path), looked_into(source)[1]
    written = [name for stanza in control if stanza.get("Package") == fields["Package"] for name in names(stanza.get("Depends", ""))]
    yield from (("DEPENDS_ON" if name in written else "DYNAMIC_LINK", name) for name in names(fields.get("Depends", "")))
    yield from (("STATIC_LINK", name) for name in COMPILED_IN.get(fields["Package"], ()))
    # debhelper-compat is debhelper's word for the version of its interface.
    yield from (("BUILD_DEPENDENCY_OF", name.removesuffix("-compat")) for stanza in control for name in names(stanza.get("Build-Depends", "")))


def of_debian(name):
    """A Debian package that is none of the release, in the version that is installed here, where the release's were built."""
    said = subprocess.run(["dpkg-query", "-W", "-f", "${Version}\\n", name], capture_output=True, text=True, check=False).stdout
    installed = said.partition("\n")[0]
    locator = f"pkg:deb/debian/{quote(name, safe='')}" + (f"@{quote(installed, safe='')}" if installed else "")
    return package(f"debian-{name.replace('+', '-')}", name, installed, licenseDeclared=LICENCES.get(name, NOBODY),
                   externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}])


def built_with(pom):
    """(name, version) of what rtl/pom.xml, as bytes, names and tests do not use alone."""
    project = ElementTree.fromstring(pom)
    values = {entry.tag: entry.text for entry in project.find("properties")}
    for dependency in project.iter("dependency"):
        group, name, version, scope = (dependency.findtext(field, "") for field in ("groupId", "artifactId", "version", "scope"))
        if scope != "test":
            yield tuple(re.sub(r"\$\{([\w.]+)\}", lambda match: values[match[1]], text) for text in (f"{group}:{name}", version))


def identifier(path):
    """Of an archive or a Debian package: a name of SPDX's has no `_`, and a package's source may differ from the release's by that alone."""
    return path.name.replace("_", "--")


def package(identifier, name, version, **more):
    return {"SPDXID": f"SPDXRef-{identifier}", "name": name, **({"versionInfo": version} if version else {}), "downloadLocation": NOBODY, "filesAnalyzed": False,
            "licenseConcluded": NOBODY, "licenseDeclared": NOBODY, "copyrightText": NOBODY} | more


def document(archives, version, commit, created, pom):
    """The document's text; `archives` are paths of archives and Debian packages, `created` is the commit's time in UTC."""
    packages, relations, others = [], [], {}
    own = {described(path)["Package"]: f"SPDXRef-{identifier(path)}" for path in archives if path.suffix == ".deb"}
    for path in archives:
        source = source_of(path, archives) if path.suffix == ".deb" else path
        made = package(identifier(path), re.split(f"[-_]{re.escape(version)}", path.name)[0], version, packageFileName=path.name,
                       licenseDeclared=licences(source),
                       checksums=[{"algorithm": "SHA256", "checksumValue": hashlib.sha256(path.read_bytes()).hexdigest()}])
        packages.append(made)
        relations.append(("SPDXRef-DOCUMENT", "DESCRIBES", made["SPDXID"]))
        if source != path:
            relations.append((made["SPDXID"], "GENERATED_FROM", f"SPDXRef-{identifier(source)}"))
            for kind, name in surroundings(path, source):
                if name not in own and name not in others:
                    others[name] = of_debian(name)
                other = own.get(name) or others[name]["SPDXID"]
                relations.append((other, kind, made["SPDXID"]) if kind == "BUILD_DEPENDENCY_OF" else (made["SPDXID"], kind, other))
    packages += others.values()
    for name, used in built_with(pom):
        made = package(re.sub(r"[^\w.-]", "-", name).replace("_", "-"), name, used,
                       externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                      "referenceLocator": f"pkg:maven/{name.replace(':', '/')}@{used}"}])
        packages.append(made)
        relations += [(made["SPDXID"], "BUILD_TOOL_OF", f"SPDXRef-{identifier(path)}") for path in archives if "verilog" in path.name]
    return json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"pagepress-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/pagepress-{version}-{commit}",
        "creationInfo": {"created": created, "creators": ["Organization: Pagepress"]}, "packages": packages,
        "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other} for one, kind, other in relations],
    }, indent=1) + "\n"
