# SPDX-License-Identifier: Apache-2.0
"""Bugs for C and C++: what may be changed in a source, and the source with all changes in it, of which mutant_is(N) chooses one.

Three kinds: a condition turned round or held, a boundary moved by one (`<` for `<=`), a call left out whose value nobody takes.
tree-sitter reads the sources; what it cannot read, macros mostly, stays as it is.
"""
import re
import sys
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / "build/tools/mutation"))

import tree_sitter  # noqa: E402 (found by the line above)
import tree_sitter_c  # noqa: E402
import tree_sitter_cpp  # noqa: E402

BOUNDARIES = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
TRUTHS = {"==", "!=", "&&", "||", *BOUNDARIES}
CONDITIONS = {"turned round": "(mutant_is({number}) != !!({text}))", "taken for true": "(mutant_is({number}) || ({text}))",
              "taken for false": "(!mutant_is({number}) && ({text}))"}
LOOPS = {"while_statement", "do_statement", "for_statement"}
CHOICES = {"if_statement", "conditional_expression"}
# Constants, which must stay so, and what cannot be read.
FIXED = {"static_assert_declaration", "template_argument_list", "array_declarator", "enumerator", "ERROR"}
CONSTANT_DECLARATION = re.compile(r"\b(static|constexpr)\b")
LITERALS = {"number_literal", "true", "false"}


@dataclass(frozen=True)
class Edit:
    """`begin` and `end`: bytes of the source; `how`: a key of CONDITIONS, an operator, or "left out"."""
    begin: int
    end: int
    how: str
    function: str
    text: str
    line: int

    @property
    def what(self):
        how = f"with {self.how}" if self.how in BOUNDARIES else self.how
        return f"{self.function}: `{self.text}` {how}"


class Source:
    """A file of C or C++."""

    def __init__(self, path, left_alone):
        """`left_alone`: a pattern of functions whose calls are no bugs when left out, and whose arguments stay as they are."""
        grammar = tree_sitter_c if path.suffix == ".c" else tree_sitter_cpp
        self.bytes = path.read_bytes()
        self.root = tree_sitter.Parser(tree_sitter.Language(grammar.language())).parse(self.bytes).root_node
        self.left_alone = re.compile(rf"(?:{left_alone})$")

    def edits(self):
        """Every edit, in the order of the text."""
        found = {}
        for function, body in self._bodies(self.root):
            for node, how in self._of(body, False):
                text = " ".join(self._text(node).split())
                edit = Edit(node.start_byte, node.end_byte, how, function, text[:80], node.start_point[0] + 1)
                found[edit.begin, edit.end, how] = edit
        return [found[key] for key in sorted(found)]

    def changed(self, chosen):
        """The source with the edits `chosen`, {number: Edit}; number 0 is the sound one."""
        at = {}
        for number, edit in chosen.items():
            at.setdefault((edit.begin, edit.end), []).append((number, edit.how))
        text = self._render(self.root, at)
        return self.bytes[:self.root.start_byte] + text + self.bytes[self.root.end_byte:]

    def _text(self, node):
        return self.bytes[node.start_byte:node.end_byte].decode()

    def _bodies(self, node):
        """(name, body) of every function."""
        if node.type == "function_definition":
            body, name = node.child_by_field_name("body"), node.child_by_field_name("declarator")
            head = self.bytes[node.start_byte:body.start_byte if body else node.start_byte].decode()
            if body and not re.search(r"\bconstexpr\b", head):
                yield re.sub(r"\(.*", "", " ".join(self._text(name).split())).lstrip("*& "), body
            return
        for child in node.children:
            yield from self._bodies(child)

    def _of(self, node, condition):
        """(node, how) of the edits at and below a node; `condition`: only its truth is asked for."""
        if node.type in FIXED or node.type == "declaration" and CONSTANT_DECLARATION.match(self._text(node)):
            return
        if node.type == "call_expression" and self.left_alone.match(self._callee(node)):
            return
        operator = node.child_by_field_name("operator") if node.type == "binary_expression" else None
        operator = operator.type if operator else None
        if operator in BOUNDARIES:
            yield node, BOUNDARIES[operator]
        if condition or operator in TRUTHS:
            yield node, "turned round"
        if condition:
            yield node, "taken for false"
        if condition and condition != "loop":
            yield node, "taken for true"
        if node.type == "expression_statement" and node.named_children and node.named_children[0].type == "call_expression" \
                and not self.left_alone.match(self._callee(node.named_children[0])):
            yield node, "left out"
        conditions = {inner.id: kind for inner, kind in self._conditions(node, operator)}
        for child in node.children:
            yield from self._below(child, conditions)

    def _below(self, child, conditions):
        if child.type in ("parenthesized_expression", "condition_clause") and child.id not in conditions:
            for inner in child.children:
                yield from self._below(inner, conditions)
        else:
            yield from self._of(child, conditions.get(child.id, False))

    def _conditions(self, node, operator):
        """(node, kind) of the expressions below a node of which only the truth is asked for; kind: "loop" or "choice"."""
        if operator in ("&&", "||"):
            yield node.child_by_field_name("left"), "choice"
            yield node.child_by_field_name("right"), "choice"
        condition = node.child_by_field_name("condition") if node.type in LOOPS | CHOICES else None
        if condition is None or any(child.type == "constexpr" for child in node.children):
            return
        if condition.type == "condition_clause":
            condition = condition.child_by_field_name("value")
        elif condition.type == "parenthesized_expression" and node.type != "conditional_expression":
            condition = condition.named_children[0] if condition.named_children else condition
        if condition.type not in {"declaration", *LITERALS}:
            yield condition, "loop" if node.type in LOOPS else "choice"

    def _callee(self, call):
        return self._text(call.child_by_field_name("function"))

    def _render(self, node, at):
        parts, place, operands = [], node.start_byte, {}
        for child in node.children:
            text = self._render(child, at)
            operands[child.id] = text
            parts += [self.bytes[place:child.start_byte], text]
            place = child.end_byte
        text = b"".join([*parts, self.bytes[place:node.end_byte]])
        # A node whose only child is as long as itself would get them twice.
        if len(node.children) == 1 and (node.children[0].start_byte, node.children[0].end_byte) == (node.start_byte, node.end_byte):
            return text
        for number, how in at.get((node.start_byte, node.end_byte), ()):
            text = self._edited(node, text, number, how, operands).encode()
        return text

    def _edited(self, node, text, number, how, operands):
        text = text.decode()
        if how == "left out":
            return f"{{ if (!mutant_is({number})) {text} }}"
        if how in CONDITIONS:
            return CONDITIONS[how].format(number=number, text=text)
        left, right = (operands[node.child_by_field_name(side).id].decode() for side in ("left", "right"))
        return f"(mutant_is({number}) ? ({left}) {how} ({right}) : ({text}))"
