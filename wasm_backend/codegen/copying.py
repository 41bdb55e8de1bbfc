"""A copy of a function that makes a large tuple, whose results are the items: none of them need go through memory."""

from __future__ import annotations

from rose.ir import CONST, FOR, TUPLE, Block, Func, Value

Env = dict[Value, Value]


def items_apart(f: Func) -> Func | None:
    """A copy of `f` whose results are the items of the tuple that it makes; none if something else makes that."""
    (whole,) = f.body.results
    if whole.op is not TUPLE:
        return None
    env: Env = {}
    body = _copied(f.body, None, env)
    made = env[whole]
    if any([a is made for v in body.code for a in v.args]):
        return None
    body.code, body.results = [v for v in body.code if v is not made], made.args
    return Func(f.name, body, f.result, pure=f.pure, origin=f.origin)


def _copied(block: Block, parent: Block | None, env: Env) -> Block:
    made = type(block)(parent)
    for p in block.params:
        env[p] = Value(p.op, p.type, (), p.attr, p.loc, made)
        made.params.append(env[p])
    for v in block.code:
        if v.op is CONST:
            env[v] = v  # the module knows where it lies
            made.code.append(v)
            continue
        attr = _copied(v.attr, made, env) if v.op is FOR else v.attr
        env[v] = Value(v.op, v.type, tuple([env[a] for a in v.args]), attr, v.loc, made)
        made.code.append(env[v])
    made.results = tuple([env[r] for r in block.results])
    return made
