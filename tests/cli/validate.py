#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""validate.py SCHEMA DOCUMENT: exactly one JSON document, no key twice, valid, and no key the schema lacks.

Readers must ignore unknown keys; our own output must not have any, or the schema is out of date.
"""
import json
import sys

import jsonschema


def no_twins(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError(f"a key is there twice: {keys}")
    return dict(pairs)


def close(schema):
    if isinstance(schema, dict):
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
        for value in schema.values():
            close(value)
    elif isinstance(schema, list):
        for value in schema:
            close(value)
    return schema


def check_points(row):
    terms = ("rss_pages", "swap_pages", "pgtable_pages", "grow_pages", "adj_pages")
    if row["points"] != sum(row[term] for term in terms):
        raise ValueError(f"the points are not the sum of their terms: {row}")


with open(sys.argv[1], encoding="utf-8") as file:
    SCHEMA = close(json.load(file))
with open(sys.argv[2], encoding="utf-8") as file:
    DOCUMENT = json.load(file, object_pairs_hook=no_twins)
jsonschema.Draft202012Validator(SCHEMA).validate(DOCUMENT)
for ROW in DOCUMENT.get("candidates", []):
    check_points(ROW)
