"""What every answer must look like, whatever client reads it."""

import json


def at(value, pointer):
    """Resolves a JSON pointer; None when it points nowhere."""
    for part in pointer.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = value.get(part)
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return None
    return value


def same(left, right):
    """Compares JSON values; unlike ==, true is not 1."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def problems_of_success(tool, validator, result):
    """Checks a successful answer; returns the list of what is wrong."""
    content = result.get("content") or [{}]
    if result.get("isError"):
        return [f"isError: {content[0].get('text')}"]
    payload = result.get("structuredContent")
    if not isinstance(payload, dict):
        return ["structuredContent is no object"]
    problems = [f"outputSchema refuses it: {error.message}" for error in validator.iter_errors(payload)]

    first, rest = content[0], content[1:]
    if first.get("type") != "text":
        problems.append("the first block is no text")
    elif not same(json.loads(first["text"]), payload):
        problems.append("the first text block differs from structuredContent")
    elif "\n" in first["text"]:
        problems.append("the first text block is not compact")

    read_only = tool["annotations"]["readOnlyHint"]
    footer = rest[-1] if rest else {}
    text = footer.get("text", "")
    if footer.get("type") != "text" or not text.strip() or text.startswith("{"):
        problems.append("the last block is no footer")
    else:
        session = payload.get("session") or {}
        for said in (session.get("attached_project"), session.get("thread")):
            if said and said not in text:
                problems.append(f"the footer does not name {said}")
        if read_only and "remember" not in text:
            problems.append("the footer does not remind to remember")
    return problems + _problems_of_links(read_only, payload, rest[:-1])


def _problems_of_links(read_only, payload, links):
    problems = []
    if any(block["type"] != "resource_link" for block in links):
        problems.append("a block between is no resource_link")
    if not read_only:
        return problems + (["a write answers with resource links"] if links else [])
    uris = [str(link["uri"]) for link in links]
    for memory in payload.get("memories", []):
        if f"zm://memory/{memory['id']}" not in uris:
            problems.append(f"no resource_link for {memory['id']}")
    priorities = []
    for link in links:
        annotations = link.get("annotations") or {}
        if annotations.get("audience") != ["assistant"]:
            problems.append("audience is not the assistant")
        priorities.append(annotations.get("priority", -1))
    if any(not 0 <= priority <= 1 for priority in priorities):
        problems.append(f"a priority is out of range: {priorities}")
    if priorities != sorted(priorities, reverse=True):
        problems.append(f"priority does not fall with the rank: {priorities}")
    return problems


def problems_of_error(result, expected):
    """Checks a refused call against code, prefix and refused_by."""
    content = result.get("content") or [{}]
    if result.get("isError") is not True:
        return [f"no error: {content[0].get('text')}"]
    problems = []
    if result.get("structuredContent") is not None:
        problems.append("an error carries structuredContent")
    text = content[0].get("text", "")
    try:
        body = json.loads(text)
        error = body["error"]
    except (ValueError, KeyError, TypeError):
        return [*problems, f"the first block is no error body: {text}"]
    if "\n" in text:
        problems.append("the error body is not compact")
    if set(body) != {"error"} or not set(error) <= {"code", "message", "details"}:
        problems.append(f"the error body has another shape: {text}")
    if error.get("code") != expected["code"]:
        problems.append(f"code {error.get('code')} in place of {expected['code']}: {error.get('message')}")
    message = error.get("message") or ""
    if not message:
        problems.append("no message")
    if expected.get("prefix") and not message.startswith(expected["prefix"]):
        problems.append(f"the message does not start with {expected['prefix']}: {message}")
    if expected.get("refused_by") == "schema":
        violations = (error.get("details") or {}).get("violations")
        if not violations or not all({"pointer", "rule", "message"} <= set(v) for v in violations):
            problems.append(f"details.violations is missing: {text}")
    return problems
