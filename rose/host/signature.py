"""The signature of a function of the language, as `inspect.signature` gives it."""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Mapping, Sequence
from inspect import Parameter
from typing import Any


def signature_of(
    names: Sequence[str], types: Sequence[Any], result: Any, positional_only: int = 0,
    defaults: Mapping[str, Any] | None = None,
) -> inspect.Signature:  # fmt: skip
    """The signature of a function with these parameters, of which the first so many take no name.

    One without a default after one that has a default is shown as keyword-only, which it was where it was written.
    """
    legal = all([k.isidentifier() and not keyword.iskeyword(k) for k in names]) and len({*names}) == len(names)
    kind, params, given = Parameter.POSITIONAL_ONLY, list[Parameter](), defaults or {}
    for k, (name, t) in enumerate(zip(names, types, strict=True)):
        default = given.get(name, Parameter.empty)
        if k >= positional_only and kind is Parameter.POSITIONAL_ONLY:
            kind = Parameter.POSITIONAL_OR_KEYWORD
        if default is Parameter.empty and params and params[-1].default is not Parameter.empty:
            kind = Parameter.KEYWORD_ONLY
        params.append(Parameter(name if legal else f"x{k}", kind, annotation=t, default=default))
    return inspect.Signature(params, return_annotation=inspect.Signature.empty if result is None else result)
