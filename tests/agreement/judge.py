"""Says of every sample whether jsonschema and the generated model accept it,
and whether the model gives it back as it was.

Reads [{ module, name, schema, samples }] on stdin, each sample as JSON text; writes a
list of { stock, model, kept } for each.
"""

import importlib.util
import json
import re
import sys
import types
import warnings
from datetime import datetime, timedelta, timezone

from jsonschema import Draft202012Validator, FormatChecker, ValidationError
from jsonschema.validators import extend
from pydantic import TypeAdapter
from pydantic import ValidationError as ModelError

SPACE = r"\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
TIME = re.compile(r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d):(\d\d)(?:\.\d+)?([Zz]|[+-]\d\d:[0-5]\d)", re.ASCII)

checker = FormatChecker()


@checker.checks("date-time", raises=ValueError)
def is_date_time(text):
    """The stock check knows no leap seconds."""
    found = TIME.fullmatch(text) if isinstance(text, str) else None
    if not found:
        return not isinstance(text, str)
    day, minute, second, offset = found.groups()
    leap = second == "60"
    time = datetime.fromisoformat(f"{day}T{minute}:{'59' if leap else second}{offset.upper()}")
    utc = (time - time.utcoffset()).replace(tzinfo=timezone.utc) if time.utcoffset() < timedelta(days=1) else time
    return not leap or (utc.hour, utc.minute) == (23, 59)


def pattern(_validator, expression, text, _schema):
    """As ECMA-262 reads it: in Python, $ also stands before a last line end."""
    if isinstance(text, str):
        expression = re.sub(r"(?<!\\)\$", r"\\Z", expression).replace(r"\s", f"[{SPACE}]")
        if not re.search(expression, text, re.ASCII):
            yield ValidationError("the pattern")


def max_bytes(_validator, limit, text, _schema):
    if isinstance(text, str) and len(text.encode()) > limit:
        yield ValidationError("too many bytes")


Stock = extend(Draft202012Validator, {"pattern": pattern, "x-max-bytes": max_bytes})


def same(left, right):
    """Compares JSON values: 1 is 1.0, and true is not 1."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return isinstance(left, bool) == isinstance(right, bool) and left == right


def judged(stock, adapter, text):
    value = json.loads(text)
    try:
        read = adapter.validate_json(text)
    except ModelError:
        return {"stock": stock.is_valid(value), "model": False, "kept": False}
    # None stands for a field that is left out.
    fields = getattr(type(read), "model_fields", {}).items()
    absent = {field.alias or name: None for name, field in fields if name not in read.model_fields_set}
    built = adapter.validate_python({**value, **absent}) if absent else read
    kept = same(json.loads(adapter.dump_json(read)), value) and same(adapter.dump_python(built, mode="json"), value)
    return {"stock": stock.is_valid(value), "model": True, "kept": kept}


def without_its_client(name):
    """Makes a package known without running it: its types are judged here, and
    its client wants the official one, which these packages do not hold."""
    package = types.ModuleType(name)
    package.__path__ = list(importlib.util.find_spec(name).submodule_search_locations)
    sys.modules[name] = package


def main():
    # What the contract announces to go is read, and warns as it should.
    warnings.filterwarnings("ignore", message=r"since \d", category=DeprecationWarning)
    verdicts = []
    cases = json.load(sys.stdin)
    for package in {case["module"] for case in cases}:
        without_its_client(package)
    for case in cases:
        Draft202012Validator.check_schema(case["schema"])
        stock = Stock(case["schema"], format_checker=checker)
        adapter = TypeAdapter(getattr(importlib.import_module(case["module"] + ".types"), case["name"]))
        verdicts.append([judged(stock, adapter, text) for text in case["samples"]])
    json.dump(verdicts, sys.stdout)


main()
