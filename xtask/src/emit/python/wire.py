"""What the models are made of: the types of JSON, read as JSON Schema reads them."""

import re
from calendar import isleap
from typing import Annotated, Any, Callable, List, Literal, Optional, TypeVar, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    model_serializer,
)
from typing_extensions import deprecated

__all__ = [
    "Annotated", "Any", "Boolean", "Closed", "Date", "DateTime", "Discriminator", "Field", "Integer",
    "List", "Literal", "Maybe", "Number", "Open", "Optional", "Text", "Union", "Uuid", "deprecated", "lenient",
    "max_bytes", "pattern", "unique",
]

Item = TypeVar("Item")


def _present(value: Any, info: ValidationInfo) -> Any:
    if value is None and info.mode == "json":
        raise ValueError("leave it out in place of null")
    return value


_maybe = BeforeValidator(_present)

Maybe = Annotated[Optional[Item], _maybe]
"""A field that may be left out, which None stands for in Python, and may not be sent as null."""


class _Model(BaseModel):
    # Strict: "3" is no 3, and true is no 1.
    model_config = ConfigDict(strict=True, allow_inf_nan=False, protected_namespaces=(), serialize_by_alias=True)

    # A return type would replace the JSON Schema of every model.
    @model_serializer(mode="wrap")
    def _written(self, write: SerializerFunctionWrapHandler):  # type: ignore[no-untyped-def]
        written = write(self)
        for name, field in type(self).model_fields.items():
            if name not in self.model_fields_set or (getattr(self, name) is None and _maybe in field.metadata):
                for key in (name, field.alias):
                    written.pop(key, None)
        return written


class Closed(_Model):
    """An object that takes no other field."""

    model_config = ConfigDict(extra="forbid")


class Open(_Model):
    """An object that keeps every other field, such as one of a later minor version."""

    model_config = ConfigDict(extra="allow")


def _whole(value: Any) -> Any:
    # 3.0 is an integer, whatever digits it was written with.
    return int(value) if isinstance(value, float) and value.is_integer() else value


# Every answer holds many times, so what judges them is built once.
_DAY = r"(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
_TIME = r"([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))"
_DATE = re.compile(_DAY, re.ASCII)
_DATE_TIME = re.compile(f"{_DAY}[Tt]{_TIME}", re.ASCII)


def _is_date(text: str) -> bool:
    found = _DATE.fullmatch(text)
    return found is not None and _is_day(*found.groups())


def _is_date_time(text: str) -> bool:
    found = _DATE_TIME.fullmatch(text)
    if found is None:
        return False
    year, month, day, hour, minute, second, sign, hours, minutes = found.groups()
    return _is_day(year, month, day) and (second != "60" or _is_last(hour, minute, sign, hours, minutes))


def _is_day(year: str, month: str, day: str) -> bool:
    if day < "29":
        return True
    if month == "02":
        return day == "29" and isleap(int(year))
    return day < "31" or month not in ("04", "06", "09", "11")


def _is_last(hour: str, minute: str, sign: Optional[str], hours: str, minutes: str) -> bool:
    # A leap second is the last one of a day in UTC.
    offset = int(f"{sign}1") * (60 * int(hours) + int(minutes)) if sign else 0
    return (60 * int(hour) + int(minute) - offset) % 1440 == 1439


def _require(accepts: Callable[[Any], bool], what: str) -> AfterValidator:
    def check(value: Any) -> Any:
        if not accepts(value):
            raise ValueError(f"must be {what}")
        return value

    return AfterValidator(check)


def pattern(expression: str) -> AfterValidator:
    """Wants a match of a pattern, read as ECMA-262 reads it."""
    space = r"\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
    in_class = False

    def translated(found: "re.Match[str]") -> str:
        nonlocal in_class
        token = found.group()
        if token in "[]":
            in_class = token == "["
        elif token == r"\s":
            return space if in_class else f"[{space}]"
        elif token == r"\S" and not in_class:
            return f"[^{space}]"
        elif token == "$" and not in_class:
            return r"\Z"
        return token

    compiled = re.compile(re.sub(r"\\.|[\[\]$]", translated, expression), re.ASCII)
    return _require(lambda text: compiled.search(text) is not None, f"a match of {expression}")


def max_bytes(limit: int) -> AfterValidator:
    """Bounds a text in bytes of UTF-8."""
    return _require(lambda text: len(text.encode()) <= limit, f"at most {limit} bytes of UTF-8")


def _distinct(items: List[Any]) -> bool:
    known: List[str] = []
    for item in items:
        text = repr(_comparable(item))
        if text in known:
            return False
        known.append(text)
    return True


def _comparable(value: Any) -> Any:
    if isinstance(value, BaseModel):
        value = value.model_dump()
    if isinstance(value, list):
        return [_comparable(item) for item in value]
    if isinstance(value, dict):
        return sorted((key, _comparable(item)) for key, item in value.items())
    return _whole(value)


unique = _require(_distinct, "a list without the same item twice")


Boolean = bool
Integer = Annotated[int, BeforeValidator(_whole)]
Number = Union[int, float]
Text = str
Date = Annotated[str, _require(_is_date, "a date"), Field(json_schema_extra={"format": "date"})]
"""A date, kept as it was written."""
DateTime = Annotated[
    str,
    _require(_is_date_time, "a date-time"),
    Field(json_schema_extra={"format": "date-time"}),
]
"""A time with its offset, kept as it was written; datetime.fromisoformat reads it."""
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
Uuid = Annotated[
    str,
    _require(lambda text: _UUID.fullmatch(text) is not None, "a uuid"),
    Field(json_schema_extra={"format": "uuid"}),
]
"""A UUID, kept as it was written."""


Model = TypeVar("Model", bound=BaseModel)


def lenient(model: "type[Model]", value: Any) -> Model:
    """Build a model of what there is; a field that is missing is None."""
    built: Model = _built(model, value)
    return built


def _built(kind: Any, value: Any) -> Any:
    if isinstance(kind, type) and issubclass(kind, BaseModel) and isinstance(value, dict):
        known = {name: field.alias or name for name, field in kind.model_fields.items()}
        fields = {
            name: _built(kind.model_fields[name].annotation, value[key]) if key in value else None
            for name, key in known.items()
        }
        others = {key: item for key, item in value.items() if key not in known.values()}
        return kind.model_construct({name for name, key in known.items() if key in value} | set(others), **fields, **others)
    arms = get_args(kind)
    if get_origin(kind) is list and arms and isinstance(value, list):
        return [_built(arms[0], item) for item in value]
    if get_origin(kind) is Annotated:
        return _built(arms[0], value)
    fitting = [arm for arm in arms if get_origin(kind) is Union and _fits(arm, value)]
    return _built(fitting[0], value) if fitting else value


def _fits(kind: Any, value: Any) -> bool:
    if get_origin(kind) is Annotated:
        return _fits(get_args(kind)[0], value)
    if isinstance(kind, type) and issubclass(kind, BaseModel) and isinstance(value, dict):
        tags = {name: get_args(field.annotation) for name, field in kind.model_fields.items()}
        return all(value.get(name) in words for name, words in tags.items() if words and get_origin(kind.model_fields[name].annotation) is Literal and name in value)
    return get_origin(kind) is list and isinstance(value, list)
