"""The faults: of rules, of derivative passes, of the optimiser, and of the back end. Each old text occurs once."""

from typing import NamedTuple


class Mutant(NamedTuple):
    file: str
    old: str
    new: str


OPS = "rose/ir/ops.py"
TRANSPOSE = "rose/autodiff/transpose.py"
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
    Mutant("rose/optimise/loop_fusion.py", "if may_alias(adds[0], adds[1]):", "if not adds:"),
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
    Mutant("wasm_backend/simd/loops.py", "self._loop(n // 2 * 2)", "self._loop(n // 2 * 2 - 2)"),
    Mutant("wasm_backend/runtime/batch.py", "range(count * k // n, count * (k + 1) // n)",
           "range(count * k // n, count * (k + 1) // n - (k > 0))"),
    Mutant("wasm_backend/js/rose-values.js", "part.put(x[key], at + offset);", "part.put(x[key], at);"),
    Mutant("wasm_backend/js/rose-values.js", "views[of].slice(start, start + size)",
           "views[of].slice(start, start + size - 1)"),
)  # fmt: skip
