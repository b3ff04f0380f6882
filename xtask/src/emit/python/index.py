"""Typed client of a zero-memory server, over the official MCP client."""

from .additions import *
from .client import *
from .errors import *
from .failures import *
from .info import *
from .opening import bridged_transport as bridged_transport
from .refusals import *
from .runtime import *
from .tools import *
from .types import *
