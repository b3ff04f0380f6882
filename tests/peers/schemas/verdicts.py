"""What other tools say of pairs of schemas: one JSON object on standard output.

Reads pairs from the file named first, and asks the peers named after it. An
answer is true when the tool calls the step from old to new breaking, for those
who send such values (input) and for those who get them (output); a string says
what went wrong.
"""

import contextlib
import io
import json
import signal
import sys

# Longer than any of them needs when it ends at all, in seconds.
PATIENCE = 10


def subschema(old, new):
    try:
        from jsonsubschema import isSubschema as is_subschema
    except ImportError:  # The continuation of the package names it anew.
        from jsonsubschema import is_subschema

    return not is_subschema(old, new), not is_subschema(new, old)


def jsoncompat(old, new):
    from jsoncompat import check_compat

    old, new = json.dumps(old), json.dumps(new)
    return not check_compat(old, new, "deserializer"), not check_compat(old, new, "serializer")


def isjsonschemasubset(old, new):
    from isjsonschemasubset import JSONSchema, issubset, resolve
    import pydantic

    read = pydantic.TypeAdapter(JSONSchema).validate_python
    old, new = (resolve(read({"title": "", **schema})) for schema in (old, new))
    return bool(list(issubset(old, new))), bool(list(issubset(new, old)))


def api_schema_diff(old, new):
    from schema_diff.diff import diff_objects

    return bool(diff_objects(old, new).breaking), bool(diff_objects(new, old).breaking)


def tool(schema, place):
    whole = {"type": "object", "properties": {"value": schema}, "required": ["value"]}
    schema = schema if isinstance(schema, dict) and schema.get("type") == "object" else whole
    bare = {"type": "object", "properties": {}}
    other = "outputSchema" if place == "inputSchema" else "inputSchema"
    return {"name": "find", "description": "Finds.", place: schema, other: bare}


def as_tools(judge):
    """Asks a tool for MCP about the schema as an input and as an output."""

    def both(old, new):
        places = ("inputSchema", "outputSchema")
        return tuple(judge(tool(old, place), tool(new, place)) for place in places)

    return both


def mcp_diff(old, new):
    from mcp_diff.diff import classify_changes

    return any(change.severity == "breaking" for change in classify_changes([old], [new]))


def mcp_contract(old, new):
    from mcp_contract.compare import compare
    from mcp_contract.model import Contract
    from mcp_contract.probe import surface_from_schema

    def read(tool):
        schemas = tool["inputSchema"], tool["outputSchema"]
        return Contract(tools=[surface_from_schema("find", "Finds.", *schemas)])

    return compare(read(old), read(new)).breaking > 0


def tool_semantics(old, new):
    from tool_semantics.diff import compare_snapshots
    from tool_semantics.models import InterfaceSnapshot, ToolContract, ToolParameter

    def read(tool):
        schema = tool["inputSchema"]
        parameters = [
            ToolParameter(name=name, schema=inner, required=name in schema.get("required", []))
            for name, inner in schema.get("properties", {}).items()
        ]
        contract = ToolContract(
            name="find", description="", parameters=parameters, output_schema=tool["outputSchema"]
        )
        return InterfaceSnapshot(server_name="peer", tools=[contract])

    return not compare_snapshots(read(old), read(new)).is_compatible


PEERS = {
    "jsonsubschema": subschema,
    "ghga-jsonsubschema": subschema,
    "jsoncompat": jsoncompat,
    "isjsonschemasubset": isjsonschemasubset,
    "api-schema-diff": api_schema_diff,
    "mcp-diff": as_tools(mcp_diff),
    "tool-semantics": as_tools(tool_semantics),
    "mcp-contract": as_tools(mcp_contract),
}


def ask(peer, pair):
    def late(_signal, _frame):
        raise TimeoutError("no answer in time")

    signal.signal(signal.SIGALRM, late)
    signal.alarm(PATIENCE)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            source, target = peer(pair["old"], pair["new"])
        return [bool(source), bool(target)]
    except BaseException as error:  # A peer may end in any way.
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"{type(error).__name__}: {error}"[:200]
    finally:
        signal.alarm(0)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        pairs = json.load(file)["cases"]
    answers = {
        name: {pair["id"]: ask(PEERS[name], pair) for pair in pairs} for name in sys.argv[2:]
    }
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
