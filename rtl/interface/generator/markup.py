# SPDX-License-Identifier: Apache-2.0
"""XML as indented lines: element("name", "text"), element("name", [children], attribute="value")."""

from xml.sax.saxutils import escape, quoteattr

from .model import GENERATED_BY

HEAD = ('<?xml version="1.0" encoding="UTF-8"?>', "<!-- SPDX-License-Identifier: Apache-2.0 -->",
        f"<!-- Made by {GENERATED_BY}. Do not edit: change the TOML files there and run it again. -->")


def element(tag, content=None, **attributes):
    """The lines of an element: `content` is text, a number, a list of elements, or None for an empty one."""
    opening = "<" + tag + "".join(f" {name.replace('__', ':')}={quoteattr(value)}" for name, value in attributes.items())
    if content is None:
        return [f"{opening}/>"]
    if isinstance(content, list):
        return [f"{opening}>", *(f"  {line}" for child in content for line in child), f"</{tag}>"]
    return [f"{opening}>{escape(str(content))}</{tag}>"]


def document(root):
    return "\n".join([*HEAD, *root, ""])
