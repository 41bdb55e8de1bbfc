"""Source maps, read back."""

import json

_VALUES = {c: k for k, c in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")}


def decoded(data: bytes) -> dict[int, tuple[int, int, int] | None]:
    """Offset -> source, line from 1, column: what the mappings of a source map say."""
    now, found = [0, 0, 0, 0], dict[int, tuple[int, int, int] | None]()
    for segment in json.loads(data)["mappings"].split(","):
        fields, value, shift = list[int](), 0, 0
        for c in segment:
            value += (_VALUES[c] & 31) << shift
            shift += 5
            if not _VALUES[c] & 32:
                fields.append(-(value >> 1) if value & 1 else value >> 1)
                value = shift = 0
        assert len(fields) in (1, 4), segment
        for k, x in enumerate(fields):
            now[k] += x
        assert now[0] not in found
        found[now[0]] = (now[1], now[2] + 1, now[3]) if len(fields) == 4 else None
    assert list(found) == sorted(found)
    return found
