#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Types that two files define under one qualified name outside of namespaces without a name, as FILE: TYPE. Linkers take the functions of
one of them for both, without a word.

    one_definition.py FOLDER...
"""
import collections
import os
import re
import sys

GONE = re.compile(
    r'R"(?P<mark>\w*)\(.*?\)(?P=mark)"|"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/|^[ \t]*#(\\\n|[^\n])*', re.DOTALL | re.MULTILINE)
NAMESPACE = re.compile(r"(?:inline\s+)?namespace\s*([\w:]*)$")
TYPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:class|struct|union|enum(?:\s+class)?)\s+(?:alignas\s*\([^()]*\)+\s*)?(\w+)(?:\s+final)?\s*(?::[^:].*)?$", re.DOTALL)


def types(text):
    """Qualified names of the types that are defined in a file's namespaces."""
    text = GONE.sub(" ", text)
    inside, last = [], 0  # for each open brace: the namespace's name, or None
    for mark in re.finditer("[{};]", text):
        before = text[last : mark.start()].strip()
        last = mark.end()
        if mark.group() == "}":
            del inside[-1:]
        elif mark.group() == "{":
            namespace = NAMESPACE.match(before)
            found = TYPE.match(before)
            if found and None not in inside and "" not in inside:
                yield "::".join([*inside, found.group(1)])
            inside.append(namespace.group(1) if namespace else None)


where = collections.defaultdict(set)
for folder in sys.argv[1:]:
    for path, _, names in os.walk(folder):
        for name in names:
            if name.endswith((".hpp", ".cpp")):
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    for found in types(file.read()):
                        where[found].add(os.path.join(path, name))
for found, files in sorted(where.items()):
    for file in sorted(files) if len(files) > 1 else ():
        print(f"{file}: {found}")
