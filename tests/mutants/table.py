"""The faults: of rules, of derivative passes, of the optimiser, and of the back end. Each old text occurs once."""

from typing import NamedTuple


class Mutant(NamedTuple):
    file: str
    old: str
    new: str


OPS = "rose/ir/ops.py"
TRANSPOSE = "rose/autodiff/transpose.py"
MASKS = "rose/autodiff/select_masks.py"
PARTIAL = "rose/autodiff/partial_reads.py"
SWEEP = "rose/autodiff/sweep.py"
AFFINE = "rose/ir/affine.py"
OUTLINING = "rose/optimise/outlining.py"
DEAD = "rose/optimise/dead_arguments.py"
MUTANTS = (
    # rules, transposes and simplifications of the table
    Mutant(OPS, "lambda d, x, z: d / (z + z)", "lambda d, x, z: d / (z + z + z)"),
    Mutant(OPS, "lambda d, x, y, z: -(d * (z / y))", "lambda d, x, y, z: d * (z / y)"),
    Mutant(OPS, "lambda d, x, z: -(d * sin(x))", "lambda d, x, z: d * sin(x)"),
    Mutant(OPS, "lambda d, x, z: d * (1.0 - z * z)", "lambda d, x, z: d * (1.0 + z * z)"),
    Mutant(OPS, "lambda d, x, z: d / (1.0 + x),", "lambda d, x, z: d / x,"),
    Mutant(OPS, "_rest(d, x > y, x == y)", "_rest(d, x >= y, x == y)"),
    Mutant(OPS, "d * (sign(x) * copysign(1.0, y))", "d * copysign(1.0, y)"),
    Mutant(OPS, "d * (z * log(x))", "d * log(x)"),
    Mutant(OPS, "-(d * _over_squares(x, y)[1])", "d * _over_squares(x, y)[1]"),
    Mutant(OPS, "-(d * round_((x - z) / y))", "d * round_((x - z) / y)"),
    Mutant(OPS, "d * (z * math.log(2.0))", "d * (z * 0.69314718)"),
    Mutant(OPS, "((y == 0.0) & ~(abs(x) > 0.0))", "(y == 0.0)"),
    Mutant(OPS, "[ct, -ct]", "[ct, ct]"),
    Mutant(OPS, "is_literal(zero, 0.0) and _is_never_minus_zero(x, 4)", "is_literal(zero, 0.0)"),
    Mutant(OPS, 'wasm="f64.min"', 'wasm="f64.max"'),
    Mutant(OPS, "$0, $1, f64.const 1, $1, $1, f64.eq, select, f64.copysign", "$0, $1, f64.copysign"),
    # derivatives
    Mutant(TRANSPOSE, "return ifrom(i, b.const(t.size - 1, t))", "return i"),
    Mutant(TRANSPOSE, "ct = self.masked(b, source.leaving, ct, b.zero(ct.type))", "ct = ct"),
    Mutant(TRANSPOSE, "return ct if g is None else self.masked(b, g, ct, nothing(b, ct.type))", "return ct"),
    Mutant(TRANSPOSE, "b.emit(select, (c, zero, ct))", "b.emit(select, (c, ct, zero))"),
    Mutant("rose/autodiff/cotangents.py", "self.added[k] = True", "self.added[k] = False"),
    Mutant("rose/autodiff/unzip_control.py", "b.get(both, 1) if j == k else b.zero(t)", "b.zero(t)"),
    Mutant("rose/autodiff/checkpoint.py", "b.const((m - n % m) % m, Fin(m))", "b.const(n % m, Fin(m))"),
    # passes
    Mutant("rose/optimise/negations.py", "else (y, x.args[0])", "else (x.args[0], y)"),
    Mutant("rose/optimise/negations.py", "if x.op is neg and y.op is neg:", "if x.op is neg or y.op is neg:"),
    Mutant("rose/optimise/invariants.py", "return not isinstance(args[1].attr, Size)", "return True"),
    Mutant("rose/optimise/sum_forwarding.py", "if loop_of(v).index not in indices:", "if not indices and False:"),
    Mutant("rose/optimise/scalar_replacement.py", "self.kept[ref] = False", "self.kept[ref] = True"),
    Mutant("rose/optimise/loop_fusion.py",
           "if may_alias(adds[0] - both, adds[1]) or may_alias(adds[0], adds[1] - both):", "if not adds:"),
    Mutant("rose/optimise/loop_fusion.py", "return loop_of(x).indices is loop_of(y).indices", "return True"),
    # code, layout, calls and the runtime in JavaScript
    Mutant("wasm_backend/abi/layout.py", "rounded_up(plus(offsets(t)[-1], size(t.items[-1])), align(t))",
           "plus(offsets(t)[-1], size(t.items[-1]))"),
    Mutant("wasm_backend/codegen/register_promotion.py", "v.type.stacked or at.times != 1", "v.type.stacked"),
    Mutant("wasm_backend/codegen/strength_reduction.py", "Step(x, form.constant, k)",
           "Step(x, 0, k)"),
    Mutant("wasm_backend/codegen/accumulators.py", 'expr.c("f64.sub")', 'expr.c("f64.add")'),
    Mutant("wasm_backend/codegen/while_loop.py", 'c("i32.eq")', 'c("i32.gt_s")'),
    Mutant("wasm_backend/simd/plan.py", "step=self.step + i.step * stride", "step=self.step + i.step"),
    Mutant("wasm_backend/simd/loops.py", "self._loop(n - left)", "self._loop(n - left - self.n)"),
    Mutant("wasm_backend/runtime/batch.py", "range(count * k // n, count * (k + 1) // n)",
           "range(count * k // n, count * (k + 1) // n - (k > 0))"),
    Mutant("wasm_backend/package/accessors.py", "self._given(t, v, k), at.plus(self.number(offset)), path",
           "self._given(t, v, k), at, path"),
    Mutant("wasm_backend/js/rose-values.js", "const row = new from.constructor(buffer, next, n);",
           "const row = new from.constructor(buffer, 0, n);"),
    # masks of what is not taken, and of what is read in part
    Mutant(MASKS, "self.guards.branch(g, v.args[0], expected)\n", "self.guards.branch(g, v.args[0], not expected)\n"),
    Mutant(MASKS, "Guard(None, marker, True)", "Guard(None, marker, False)"),
    Mutant(MASKS, "uneven = self.choosing[block] or len(guards) > 1", "uneven = len(guards) > 1"),
    Mutant("rose/autodiff/guards.py", "if condition.op is and_ and expected:", "if condition.op is and_:"),
    Mutant(PARTIAL, "steps[0] if steps else 1)", "1)"),
    Mutant(PARTIAL, "plus(low, min(far, 0)), plus(high, max(far, 0))",
           "plus(low, max(far, 0)), plus(high, min(far, 0))"),
    # affine forms, and templates
    Mutant(AFFINE, "return [(args[0], -1), (args[1], 1)]", "return [(args[0], 1), (args[1], 1)]"),
    Mutant(AFFINE, "terms[x] = plus(terms[x], k) if x in terms else k", "terms[x] = k"),
    Mutant("wasm_backend/simd/plan.py", "tuple([(a, -k) for a, k in x.terms])", "x.terms"),
    Mutant("wasm_backend/codegen/templates.py", "not in op.wasm and not op.library}", "not in op.wasm}"),
    # cuts
    Mutant(OUTLINING, "self.places = {v: (whole[out], k) for", "self.places = {v: (whole[out], 0) for"),
    Mutant(OUTLINING, "self.places.update({v: (made, k) for k, v in enumerate(results)})",
           "self.places.update({v: (made, k) for k, v in enumerate(results[::-1])})"),
    Mutant("rose/optimise/staging.py", "if s is not None and k == side:", "if s is not None and k != side:"),
    # one sweep, and the tape of what is not in it
    Mutant(SWEEP, "if k in items else b.zero(item)", "if k not in items else b.zero(item)"),
    Mutant(SWEEP, "to.add(b, plain(b, x) if marked and not to.marked else x)", "to.add(b, x)"),
    Mutant("rose/autodiff/unzip.py", "zip(entries, out, strict=True)", "zip(entries, reversed([*out]), strict=True)"),
    Mutant("rose/autodiff/residuals.py", "for item in signature.kept.items[k]:",
           "for item in [*signature.kept.items[k]][:1]:"),
    # what passes have in common: invariants, and what is needed
    Mutant("rose/optimise/invariants.py", "todo += [w for ref in self.touched[v] for w in self.groups[ref]]", "pass"),
    Mutant(DEAD, "if not fresh:", "if True:"),
    Mutant(DEAD, "[reduce(_union, ns) for ns in zip(", "[ns[0] for ns in zip("),
    # products
    Mutant("rose/optimise/interchange.py", "self.uses[loop][ref] == 1 and ref not in aliases(self.uses[loop])",
           "self.uses[loop][ref] == 1"),
    Mutant("rose/optimise/interchange.py", "if v.op is not AT and self.users.place(v) < self.users.place(loop):",
           "if v.op is PARAM:"),
    # rings, and states that are added to where they lie
    Mutant("wasm_backend/codegen/rings.py", "return Ring(block.index, way < 0,", "return Ring(block.index, False,"),
    Mutant("wasm_backend/codegen/rings.py", "or abs(way) != 1", "or way == 0"),
    Mutant("wasm_backend/simd/loops.py", "self.sums.clear_at(self.loop.index)", "pass"),
    Mutant("wasm_backend/codegen/states_in_place.py", "and not self._read_after(x, leaf, (v, 0), v.args[0])", ""),
    # maxima and minima, equal loops, sums of elements, branches of one condition
    Mutant("rose/autodiff/extremes.py", "new = ~(loses | same)", "new = ~loses"),
    Mutant("rose/autodiff/extremes.py", "later = ilt(p, i) | (ieq(p, i) & later)", "later = ilt(p, i)"),
    Mutant("rose/autodiff/shifts.py", "else one._replace(degree=one.degree * (sign if x is None else 1))", "else one"),
    Mutant("rose/autodiff/shifts.py", "return None if one.scale", "return one if one.scale"),
    Mutant("rose/ir/func.py", "a not in inside for a in v.args", "a is v for a in v.args"),
    Mutant("rose/optimise/element_sums.py", "if all([users.place(v) < last for v in whole]) else None", ""),
    Mutant("rose/optimise/loop_fusion.py", "and v.args[1] is block.index", ""),
    Mutant("rose/optimise/branch_merging.py", "return not may_alias({base(v.args[0]) for v in acts}, touched)",
           "return True"),
    # when two iterations at once are worth it
    Mutant("wasm_backend/simd/estimate.py", "costs.PAIRED_PASSED * (stores + loads)", "costs.PAIRED_PASSED * 0"),
    Mutant("rose/optimise/unrolling.py", "            and not has_branches(block)\n", ""),
    # four lanes
    Mutant("wasm_backend/simd/reductions.py", "range(1, self.shape.lanes)", "range(1, 2)"),
    Mutant("wasm_backend/simd/loops.py", "self._advance(i, 1)", "self._advance(i, 2)"),
)  # fmt: skip
