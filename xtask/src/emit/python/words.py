"""Words of others as the messages of this package repeat them, and what these say of a call that had no answer."""

import re
from typing import Literal, get_args

_LONGEST = 300
"""How many characters of others are repeated: the official client tells every item of a long answer."""

Loss = Literal["unreached", "unopened", "unsent", "answered", "broken"]
"""How a call came to nothing, and so what became of it."""

LOSSES: tuple[Loss, ...] = get_args(Loss)

_SENTENCES: dict[Loss, tuple[str, str]] = {
    "unreached": (
        "the server cannot be reached",
        "nothing was carried out; see whether it runs, and where, and try again",
    ),
    "unopened": (
        "no connection was opened",
        "nothing was carried out; see what the server says in its log, and try again",
    ),
    "unsent": ("no call was sent", "nothing was carried out; mend that, and try again"),
    "answered": (
        "something else than a zero-memory server answered",
        "see what stands at that address; if it passed a call on, that may have been carried out",
    ),
    "broken": ("the connection broke", "see whether the server runs; a call on its way may have been carried out"),
}


def short(text: str) -> str:
    """Return a text on one line and in few words, without the password of an address; all of it stands in the cause."""
    line = re.sub(r"//[^\s/@]*@", "//", " ".join(text.split()))
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def lost(why: str, loss: Loss) -> str:
    """Return all that is said of a call that had no answer."""
    begin, end = _SENTENCES[loss]
    return f"{begin}: {short(why)}; {end}"
