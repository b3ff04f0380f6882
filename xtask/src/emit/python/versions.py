"""Judges the contract version that a server announces."""

import re

from .additions import ADDITIONS, Addition
from .failures import ContractMismatch, ContractWarning
from .info import CONTRACT_VERSION
from .words import short

NAMED = 12
"""How many missing things a warning names before it only counts them."""


def judged(server_version: str | None, allow_other_major: bool) -> ContractWarning | None:
    """Say nothing of a server of this minor version or a later one, warn of an older one.

    Raises ContractMismatch for another major version or none, unless it is allowed.
    """
    ours = _parsed(CONTRACT_VERSION)
    theirs = None if server_version is None else _parsed(server_version)
    if ours is None or theirs is None or theirs[0] != ours[0]:
        if not allow_other_major:
            raise ContractMismatch(server_version, CONTRACT_VERSION)
        found = "announces no contract" if server_version is None else f"keeps contract {short(server_version)}"
        message = f"the server {found}; this package was made from {CONTRACT_VERSION}, and nothing is promised between the two"
        return ContractWarning("other_major", server_version, CONTRACT_VERSION, (), message)
    if theirs[1] >= ours[1]:
        return None
    missing = tuple(addition for addition in ADDITIONS if _is_after(addition, theirs))
    names = [_spelled(addition) for addition in missing[:NAMED]]
    if len(missing) > NAMED:
        names.append(f"{len(missing) - NAMED} more")
    lacks = ", ".join(names) or "nothing that this package names"
    message = f"the server keeps contract {short(server_version or '')}, older than {CONTRACT_VERSION}; it may lack: {lacks}"
    return ContractWarning("older_server", server_version, CONTRACT_VERSION, missing, message)


def _parsed(text: str) -> tuple[int, int] | None:
    found = re.fullmatch(r"(\d+)\.(\d+)\.\d+(?:[-+].*)?", text, re.ASCII)
    return (int(found[1]), int(found[2])) if found else None


def _is_after(addition: Addition, server: tuple[int, int]) -> bool:
    since = _parsed(addition.since)
    return since is not None and since[0] == server[0] and since[1] > server[1]


def _spelled(addition: Addition) -> str:
    words = (addition.name, addition.place, addition.field)
    return f"{' '.join(word for word in words if word)} (since {addition.since})"
