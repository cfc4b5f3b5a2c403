# SPDX-License-Identifier: Apache-2.0
"""What is in a release, and what made it, as an SPDX 2.3 document: archives and packages with their licences, and what rtl/pom.xml names."""
import functools
import hashlib
import json
import re
import subprocess
import tarfile
from xml.etree import ElementTree

LICENCE = re.compile(rb"SPDX-License-Identifier:[ \t]*\(?([\w.+() -]*[\w.+)])")
NOBODY = "NOASSERTION"


def source_of(package, archives):
    """The archive that a Debian package was made from: the one it names as its source, or the one of its own name."""
    fields = subprocess.run(["dpkg-deb", "-f", package, "Source", "Package", "Version"], capture_output=True, text=True, check=True).stdout
    fields = dict(line.split(": ", 1) for line in fields.splitlines())
    wanted = f"{fields.get('Source', fields['Package']).split()[0]}_{fields['Version']}.tar.xz"
    return next(path for path in archives if path.name == wanted)


@functools.cache  # of a source, asked for with each package that was made from it
def licences(path):
    """Of the files of an archive, as they say in their first lines."""
    found = set()
    with tarfile.open(path) as tar:
        for entry in tar:
            if entry.isfile() and (said := LICENCE.search(tar.extractfile(entry).read(600))):
                found.add(re.sub(r"[()]", "", said[1].decode()).strip())
    return sorted({one for said in found for one in re.split(r" OR | AND ", said)})


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
    return {"SPDXID": f"SPDXRef-{identifier}", "name": name, "versionInfo": version, "downloadLocation": NOBODY, "filesAnalyzed": False,
            "licenseConcluded": NOBODY, "licenseDeclared": NOBODY, "copyrightText": NOBODY} | more


def document(archives, version, commit, created, pom):
    """The document's text; `archives` are paths of archives and Debian packages, `created` is the commit's time in UTC."""
    packages, relations = [], []
    for path in archives:
        source = source_of(path, archives) if path.suffix == ".deb" else path
        made = package(identifier(path), re.split(f"[-_]{re.escape(version)}", path.name)[0], version, packageFileName=path.name,
                       licenseDeclared=" AND ".join(licences(source)) or NOBODY,
                       checksums=[{"algorithm": "SHA256", "checksumValue": hashlib.sha256(path.read_bytes()).hexdigest()}])
        packages.append(made)
        relations.append(("SPDXRef-DOCUMENT", "DESCRIBES", made["SPDXID"]))
        if source != path:
            relations.append((made["SPDXID"], "GENERATED_FROM", f"SPDXRef-{identifier(source)}"))
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
