"""The inference rules of the paper, Figures 9 to 14: for each a program before, and what our passes make of it.

Each case is a figure and a rule, sometimes what differs in ours, the program before, and then:
for a typing rule what the program is in the strict syntax (`is`), and a program that the rule does not allow
(`but not`); for forward mode the derivative (`jvp`); for transposition the two halves (`fwd`, `bwd`).
None of them is optimised. Ours differs from the paper in the same ways throughout: a tangent has a type of its
own, `Tan`, and stands beside its primal, not in a pair with it, and is left out where it is zero; the linear
half has its own parameters and the cotangents of numbers as its result; a tape is a flat tuple of what is read.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from rose.autodiff.jvp import full_mask, jvp
from rose.autodiff.transpose import transpose
from rose.errors import RoseError
from rose.ir import Func
from rose.ir.check import check
from rose.ir.text.module import parse
from rose.ir.text.printer import show

RULES = """
=== 9: ()
def f(): () = ()
--- is
def f(): () =
  let x0: () = () in
  x0
--- but not
def f(): Real = ()
--- TypeMismatch: what the function gives is a (), and must be a Real
=== 9: true
def f(): Bool = true
--- is
def f(): Bool =
  let x0: Bool = true in
  x0
--- but not
def f(): Real = true
--- TypeMismatch: what the function gives is a Bool, and must be a Real
=== 9: false
def f(): Bool = false
--- is
def f(): Bool =
  let x0: Bool = false in
  x0
--- but not
def f(): 2 = false
--- TypeMismatch: what the function gives is a Bool, and must be an index of 2
=== 9: c
def f(): Real = 2.5
--- is
def f(): Real =
  let x0: Real = 2.5 in
  x0
--- but not
def f(): Bool = 2.5
--- TypeMismatch: what the function gives is a Real, and must be a Bool
=== 9: m < n
def f(): 3 = 2
--- is
def f(): 3 =
  let x0: 3 = 2 in
  x0
--- but not
def f(): 3 = 3
--- OutOfRange: index 3 is out of range for 3 elements
=== 9: [x]
def f(x: Real, y: Real): [2]Real = [x, y]
--- is
def f(x: Real, y: Real): [2]Real =
  let x0: [2]Real = [x, y] in
  x0
--- but not
def f(x: Real, y: Bool): [2]Real = [x, y]
--- TypeMismatch: an element is a Bool, and must be a Real
=== 9: (x, y)
def f(x: Real, y: Bool): (Real, Bool) = (x, y)
--- is
def f(x: Real, y: Bool): (Real, Bool) =
  let x0: (Real, Bool) = (x, y) in
  x0
--- but not
def f(x: Real, y: Bool): (Bool, Real) = (x, y)
--- TypeMismatch: item 0 is a Real, and must be a Bool
=== 9: ¬ x
def f(x: Bool): Bool = ¬x
--- is
def f(x: Bool): Bool =
  let x0: Bool = not x in
  x0
--- but not
def f(x: Real): Real = ¬x
--- TypeMismatch: not does not accept (Real)
=== 9: unary
def f(x: Real): Real = -(abs(sgn(ceil(floor(trunc(sqrt x))))))
--- is
def f(x: Real): Real =
  let x0: Real = sqrt x in
  let x1: Real = trunc x0 in
  let x2: Real = floor x1 in
  let x3: Real = ceil x2 in
  let x4: Real = sign x3 in
  let x5: Real = abs x4 in
  let x6: Real = -x5 in
  x6
--- but not
def f(x: Bool): Real = sqrt x
--- TypeMismatch: sqrt does not accept (Bool)
=== 9: + - × ÷
def f(x: Real, y: Real): Real = ((x + y) - x) × y ÷ x
--- is
def f(x: Real, y: Real): Real =
  let x0: Real = x + y in
  let x1: Real = x0 - x in
  let x2: Real = x1 * y in
  let x3: Real = x2 / x in
  x3
--- but not
def f(x: Real, y: Bool): Real = x + y
--- TypeMismatch: + does not accept (Real, Bool)
=== 9: ∧ ∨ iff xor
def f(x: Bool, y: Bool): Bool = ((x ∧ y) ∨ x) xor (x iff y)
--- is
def f(x: Bool, y: Bool): Bool =
  let x0: Bool = x and y in
  let x1: Bool = x0 or x in
  let x2: Bool = x xor y in
  let x3: Bool = not x2 in
  let x4: Bool = x1 xor x3 in
  x4
--- but not
def f(x: Bool, y: Real): Bool = x ∧ y
--- TypeMismatch: and does not accept (Bool, Real)
=== 9: < ≤ = > ≥
def f(x: Real, y: Real): [6]Bool = [x < y, x ≤ y, x = y, x > y, x ≥ y, x ≠ y]
--- is
def f(x: Real, y: Real): [6]Bool =
  let x0: Bool = x < y in
  let x1: Bool = x <= y in
  let x2: Bool = x == y in
  let x3: Bool = y < x in
  let x4: Bool = y <= x in
  let x5: Bool = x != y in
  let x6: [6]Bool = [x0, x1, x2, x3, x4, x5] in
  x6
--- but not
def f(x: Real, y: Bool): Bool = x < y
--- TypeMismatch: < does not accept (Real, Bool)
=== 9: x ? y : z
def f(x: Bool, y: [2]Real, z: [2]Real): [2]Real = x ? y : z
--- is
def f(x: Bool, y: [2]Real, z: [2]Real): [2]Real =
  let x0: [2]Real = x ? y : z in
  x0
--- but not
def f(x: Bool, y: Real, z: Bool): Real = x ? y : z
--- TypeMismatch: an arm is a Bool, and must be a Real
=== 9: x += y
def f(x: &Real, y: Real): () = x += y
--- is
def f(x: &Real, y: Real): () =
  let x0: () = x += y in
  x0
--- but not
def f(x: &Real, y: Bool): () = x += y
--- TypeMismatch: what is added is a Bool, and must be a Real
=== 9: x[y]
def f(x: [3]Bool, y: 3): Bool = x[y]
--- is
def f(x: [3]Bool, y: 3): Bool =
  let x0: Bool = x[y] in
  x0
--- but not
def f(x: [3]Bool, y: 4): Bool = x[y]
--- OutOfRange: an index below 4 may be out of range for 3 elements
=== 9: &x[y]
def f(x: &[3]Real, y: 3, z: Real): () = &x[y] += z
--- is
def f(x: &[3]Real, y: 3, z: Real): () =
  let a0: &Real = &x[y] in
  let x0: () = a0 += z in
  x0
--- but not
def f(x: &Real, y: 3, z: Real): () = &x[y] += z
--- TypeMismatch: a Real has no elements
=== 9: fst x
def f(x: (Real, Bool)): Real = fst x
--- is
def f(x: (Real, Bool)): Real =
  let x0: Real = fst x in
  x0
--- but not
def f(x: Real): Real = fst x
--- NoField: a Real has no parts
=== 9: snd x
def f(x: (Real, Bool)): Bool = snd x
--- is
def f(x: (Real, Bool)): Bool =
  let x0: Bool = snd x in
  x0
--- but not
def f(x: (Real, Bool)): Real = snd x
--- TypeMismatch: what the function gives is a Bool, and must be a Real
=== 9: &fst x
def f(x: &(Real, Real), y: Real): () = &fst x += y
--- is
def f(x: &(Real, Real), y: Real): () =
  let a0: &Real = &fst x in
  let x0: () = a0 += y in
  x0
--- but not
def f(x: (Real, Real), y: Real): () = &fst x += y
--- TypeMismatch: a (Real, Real) is not an accumulator
=== 9: &snd x
def f(x: &(Real, [2]Real), y: [2]Real): () = &snd x += y
--- is
def f(x: &(Real, [2]Real), y: [2]Real): () =
  let a0: &[2]Real = &snd x in
  let x0: () = a0 += y in
  x0
--- but not
def f(x: &(Real, [2]Real), y: Real): () = &snd x += y
--- TypeMismatch: what is added is a Real, and must be a [2]Real
=== 9: f⟨τ⟩(x)
def g<t: Value>(x: t): (t, t) = (x, x)
def f(x: Bool): (Bool, Bool) = g<Bool>(x)
--- is
def g_Bool(x: Bool): (Bool, Bool) =
  let x0: (Bool, Bool) = (x, x) in
  x0

def f(x: Bool): (Bool, Bool) =
  let x0: (Bool, Bool) = g_Bool(x) in
  x0
--- but not
def g<t: Value>(x: t): (t, t) = (x, x)
def f(x: Real): (Bool, Bool) = g<Bool>(x)
--- TypeMismatch: the argument x is a Real, and must be a Bool
=== 9: [for x: τ, b]
def f(x: Real): [3]Real = [for i: 3, x]
--- is
def f(x: Real): [3]Real =
  let x0: [3]Real = [for i0: 3,
    x
  ] in
  x0
--- but not
def f(x: Real): [3]Bool = [for i: 3, x]
--- TypeMismatch: the result of an iteration is a Real, and must be a Bool
=== 9: accum x from y in b
def f(y: Real): (Real, Bool) = accum x from y in true
--- is
def f(y: Real): (Real, Bool) =
  let x0: Bool = true in
  let x1: (Real, ()) =
    accum a0 from y in
      ()
  in
  let x2: Real = fst x1 in
  let x3: (Real, Bool) = (x2, x0) in
  x3
--- but not
def f(y: Real): (Bool, Bool) = accum x from y in true
--- TypeMismatch: what the sum starts from is a Real, and must be a Bool
=== 10: t: κ ⊢ t: κ
def g<t: Index>(x: [t]Real, i: t): Real = x[i]
def f(x: [2]Real, i: 2): Real = g(x, i)
--- is
def g_2(x: [2]Real, i: 2): Real =
  let x0: Real = x[i] in
  x0

def f(x: [2]Real, i: 2): Real =
  let x0: Real = g_2(x, i) in
  x0
--- but not
def g<t: Value>(x: [t]Real): Real = 1
def f(x: Real): Real = g<Bool>([x])
--- TypeMismatch: Bool is not an index type
=== 10: Value <: Type
def g<t: Type>(x: t): () = ()
def f(x: Real): () = g(x)
--- is
def g_Real(x: Real): () =
  let x0: () = () in
  x0

def f(x: Real): () =
  let x0: () = g_Real(x) in
  x0
--- but not
def g<t: Value>(x: t): () = ()
def f(x: &Real): () = g<&Real>(x)
--- TypeMismatch: &Real is not of kind Value, as t must be
=== 10: Index <: Value
def g<t: Value>(x: t): t = x
def f(x: 3): 3 = g(x)
--- is
def g_3(x: 3): 3 =
  x

def f(x: 3): 3 =
  let x0: 3 = g_3(x) in
  x0
--- but not
def g<t: Index>(x: t): t = x
def f(x: Real): Real = g(x)
--- TypeMismatch: Real is not of kind Index, as t must be
=== 10: (), Bool, Real: Value
def f(x: ((), (Bool, Real))): [1]((), (Bool, Real)) = [x]
--- is
def f(x: ((), (Bool, Real))): [1]((), (Bool, Real)) =
  let x0: [1]((), (Bool, Real)) = [x] in
  x0
--- but not
def f(x: [1]Real): () = fst x
--- NoField: a [1]Real has no parts
=== 10: n: Index
def f(x: [3]Real): [3]Real = x
--- is
def f(x: [3]Real): [3]Real =
  x
--- but not
def f(x: [Real]Real): () = ()
--- TypeMismatch: Real is not an index type
=== 10: &τ: Type
def f(x: &[2]Real): () = ()
--- is
def f(x: &[2]Real): () =
  let x0: () = () in
  x0
--- but not
def f(x: &&Real): () = ()
--- TypeMismatch: an accumulator cannot be a part of something
=== 10: [τ]τ': Value
def f(x: [2][3]Bool): [3]Bool = x[1]
--- is
def f(x: [2][3]Bool): [3]Bool =
  let x0: 2 = 1 in
  let x1: [3]Bool = x[x0] in
  x1
--- but not
def f(x: [2]&Real): () = ()
--- TypeMismatch: an accumulator cannot be a part of something
=== 10: (τ, τ'): Value
def f(x: (Real, (Bool, 3))): 3 = snd snd x
--- is
def f(x: (Real, (Bool, 3))): 3 =
  let x0: (Bool, 3) = snd x in
  let x1: 3 = snd x0 in
  x1
--- but not
def f(x: (Real, &Real)): () = ()
--- TypeMismatch: an accumulator cannot be a part of something
=== 10: x
def f(x: Real): Real = x
--- is
def f(x: Real): Real =
  x
--- but not
def f(x: Real): Real = y
--- UnknownName: there is no value y
=== 10: let x: τ = e in b
def f(x: Real): Bool = let y: Bool = x < x in y
--- is
def f(x: Real): Bool =
  let x0: Bool = x < x in
  x0
--- but not
def f(x: Real): Bool = let y: Real = x < x in y
--- TypeMismatch: what y names is a Bool, and must be a Real
=== 10: def f d
def g(x: Real): Real = x
def f(x: Real): Real = g(x)
--- is
def g(x: Real): Real =
  x

def f(x: Real): Real =
  let x0: Real = g(x) in
  x0
--- but not
def f(x: Real): Real = f(x)
--- RoseError: f calls itself: f -> f
=== 11: D[()] of types
def f(x: ()): () = x
--- jvp
def f.jvp(x: ()): () =
  x
=== 11: D[Bool] of types # what has no derivative has no tangent beside it
def f(x: Bool): Bool = x
--- jvp
def f.jvp(x: Bool): Bool =
  x
=== 11: D[n] of types
def f(x: 3): 3 = x
--- jvp
def f.jvp(x: 3): 3 =
  x
=== 11: D[t] of types # an instance of a generic function is differentiated, not the function
def g<t: Value>(x: t): t = x
def f(x: Real): Real = g(x)
--- jvp
def g_Real.jvp(x: Real, dx: Tan): (Real, Tan) =
  let x0: (Real, Tan) = (x, dx) in
  x0

def f.jvp(x: Real, dx: Tan): (Real, Tan) =
  let x0: (Real, Tan) = g_Real.jvp(x, dx) in
  let x1: Real = fst x0 in
  let x2: Tan = snd x0 in
  let x3: (Real, Tan) = (x1, x2) in
  x3
=== 11: D[&τ] # the tangents have an accumulator of their own
def f(x: &Real, y: Real): () = x += y
--- jvp
def f.jvp(x: &Real, dx: &Tan, y: Real, dy: Tan): () =
  let x0: () = x += y in
  let x1: () = dx += dy in
  let x2: () = () in
  x2
=== 11: D[[τ]τ'] # a vector of primals and one of tangents, not a vector of pairs
def f(x: [3]Real): [3]Real = x
--- jvp
def f.jvp(x: [3]Real, dx: [3]Tan): ([3]Real, [3]Tan) =
  let x0: ([3]Real, [3]Tan) = (x, dx) in
  x0
=== 11: D[(τ, τ')] # as for vectors
def f(x: (Real, Bool)): (Real, Bool) = x
--- jvp
def f.jvp(x: (Real, Bool), dx: (Tan, ())): ((Real, Bool), (Tan, ())) =
  let x0: ((Real, Bool), (Tan, ())) = (x, dx) in
  x0
=== 11: D[Real] # Tan, which only linear operations accept, is the second Real
def f(x: Real): Real = x
--- jvp
def f.jvp(x: Real, dx: Tan): (Real, Tan) =
  let x0: (Real, Tan) = (x, dx) in
  x0
=== 11: ()
def f(): () = ()
--- jvp
def f.jvp(): () =
  let x0: () = () in
  x0
=== 11: true
def f(): Bool = true
--- jvp
def f.jvp(): Bool =
  let x0: Bool = true in
  x0
=== 11: false
def f(): Bool = false
--- jvp
def f.jvp(): Bool =
  let x0: Bool = false in
  x0
=== 11: n
def f(): 3 = 2
--- jvp
def f.jvp(): 3 =
  let x0: 3 = 2 in
  x0
=== 11: [x] # primals and tangents apart, as their types are
def f(x: Real, y: Real): [2]Real = [x, y]
--- jvp
def f.jvp(x: Real, dx: Tan, y: Real, dy: Tan): ([2]Real, [2]Tan) =
  let x0: [2]Real = [x, y] in
  let x1: [2]Tan = [dx, dy] in
  let x2: ([2]Real, [2]Tan) = (x0, x1) in
  x2
=== 11: (x, y) # as for vectors
def f(x: Real, y: Real): (Real, Real) = (x, y)
--- jvp
def f.jvp(x: Real, dx: Tan, y: Real, dy: Tan): ((Real, Real), (Tan, Tan)) =
  let x0: (Real, Real) = (x, y) in
  let x1: (Tan, Tan) = (dx, dy) in
  let x2: ((Real, Real), (Tan, Tan)) = (x0, x1) in
  x2
=== 11: a[i]
def f(a: [3]Real, i: 3): Real = a[i]
--- jvp
def f.jvp(a: [3]Real, da: [3]Tan, i: 3): (Real, Tan) =
  let x0: Real = a[i] in
  let x1: Tan = da[i] in
  let x2: (Real, Tan) = (x0, x1) in
  x2
=== 11: fst π
def f(p: (Real, Real)): Real = fst p
--- jvp
def f.jvp(p: (Real, Real), dp: (Tan, Tan)): (Real, Tan) =
  let x0: Real = fst p in
  let x1: Tan = fst dp in
  let x2: (Real, Tan) = (x0, x1) in
  x2
=== 11: snd π
def f(p: (Real, Real)): Real = snd p
--- jvp
def f.jvp(p: (Real, Real), dp: (Tan, Tan)): (Real, Tan) =
  let x0: Real = snd p in
  let x1: Tan = snd dp in
  let x2: (Real, Tan) = (x0, x1) in
  x2
=== 11: &a[i]
def f(a: &[3]Real, i: 3, y: Real): () = &a[i] += y
--- jvp
def f.jvp(a: &[3]Real, da: &[3]Tan, i: 3, y: Real, dy: Tan): () =
  let a0: &Real = &a[i] in
  let a1: &Tan = &da[i] in
  let x0: () = a0 += y in
  let x1: () = a1 += dy in
  let x2: () = () in
  x2
=== 11: &fst π
def f(p: &(Real, Real), y: Real): () = &fst p += y
--- jvp
def f.jvp(p: &(Real, Real), dp: &(Tan, Tan), y: Real, dy: Tan): () =
  let a0: &Real = &fst p in
  let a1: &Tan = &fst dp in
  let x0: () = a0 += y in
  let x1: () = a1 += dy in
  let x2: () = () in
  x2
=== 11: &snd π
def f(p: &(Real, Real), y: Real): () = &snd p += y
--- jvp
def f.jvp(p: &(Real, Real), dp: &(Tan, Tan), y: Real, dy: Tan): () =
  let a0: &Real = &snd p in
  let a1: &Tan = &snd dp in
  let x0: () = a0 += y in
  let x1: () = a1 += dy in
  let x2: () = () in
  x2
=== 11: p ? x : y
def f(p: Bool, x: Real, y: Real): Real = p ? x : y
--- jvp
def f.jvp(p: Bool, x: Real, dx: Tan, y: Real, dy: Tan): (Real, Tan) =
  let x0: Real = p ? x : y in
  let x1: Tan = p ? dx : dy in
  let x2: (Real, Tan) = (x0, x1) in
  x2
=== 11: x += y
def f(x: &Real, y: Real): () = x += y
--- jvp
def f.jvp(x: &Real, dx: &Tan, y: Real, dy: Tan): () =
  let x0: () = x += y in
  let x1: () = dx += dy in
  let x2: () = () in
  x2
=== 11: ¬x
def f(x: Bool): Bool = ¬x
--- jvp
def f.jvp(x: Bool): Bool =
  let x0: Bool = not x in
  x0
=== 11: x ⊕ y of Bools
def f(x: Bool, y: Bool): Bool = x ∧ y
--- jvp
def f.jvp(x: Bool, y: Bool): Bool =
  let x0: Bool = x and y in
  x0
=== 11: x ⊕ y to Bool # the operation is that of the primals
def f(x: Real, y: Real): Bool = x < y
--- jvp
def f.jvp(x: Real, dx: Tan, y: Real, dy: Tan): Bool =
  let x0: Bool = x < y in
  x0
=== 11: accum x from y in b # two accumulators, one for the tangents
def f(y: Real, z: Real): Real = fst (accum x from y in x += z)
--- jvp
def f.jvp(y: Real, dy: Tan, z: Real, dz: Tan): (Real, Tan) =
  let x0: (Tan, Real) =
    accum a0 from dy in
      let x1: (Real, ()) =
        accum a1 from y in
          let x2: () = a1 += z in
          a0 += dz
      in
      let x3: Real = fst x1 in
      x3
  in
  let x4: Tan = fst x0 in
  let x5: Real = snd x0 in
  let x6: (Real, Tan) = (x5, x4) in
  x6
=== 11: [for i: τ, b]
def f(x: [3]Real): [3]Real = [for i: 3, x[i] + x[i]]
--- jvp
def f.jvp(x: [3]Real, dx: [3]Tan): ([3]Real, [3]Tan) =
  let (x0, x1): ([3]Real, [3]Tan) = [for i0: 3,
    let x2: Real = x[i0] in
    let x3: Tan = dx[i0] in
    let x4: Real = x2 + x2 in
    let x5: Tan = x3 + x3 in
    (x4, x5)
  ] in
  let x6: ([3]Real, [3]Tan) = (x0, x1) in
  x6
=== 11: f⟨τ⟩(x)
def g(x: Real): Real = -x
def f(x: Real): Real = g(x)
--- jvp
def g.jvp(x: Real, dx: Tan): (Real, Tan) =
  let x0: Real = -x in
  let x1: Tan = -dx in
  let x2: (Real, Tan) = (x0, x1) in
  x2

def f.jvp(x: Real, dx: Tan): (Real, Tan) =
  let x0: (Real, Tan) = g.jvp(x, dx) in
  let x1: Real = fst x0 in
  let x2: Tan = snd x0 in
  let x3: (Real, Tan) = (x1, x2) in
  x3
=== 12: sgn # a zero tangent is not written
def f(x: Real): Real = sgn(x)
--- jvp
def f.jvp(x: Real, dx: Tan): Real =
  let x0: Real = sign x in
  x0
=== 12: ceil
def f(x: Real): Real = ceil(x)
--- jvp
def f.jvp(x: Real, dx: Tan): Real =
  let x0: Real = ceil x in
  x0
=== 12: floor
def f(x: Real): Real = floor(x)
--- jvp
def f.jvp(x: Real, dx: Tan): Real =
  let x0: Real = floor x in
  x0
=== 12: trunc
def f(x: Real): Real = trunc(x)
--- jvp
def f.jvp(x: Real, dx: Tan): Real =
  let x0: Real = trunc x in
  x0
=== 12: -
def f(x: Real): Real = -x
--- jvp
def f.jvp(x: Real, dx: Tan): (Real, Tan) =
  let x0: Real = -x in
  let x1: Tan = -dx in
  let x2: (Real, Tan) = (x0, x1) in
  x2
=== 12: abs # at 0 it is 0, where the paper has the sign of the zero
def f(x: Real): Real = abs x
--- jvp
def f.jvp(x: Real, dx: Tan): (Real, Tan) =
  let x0: Real = abs x in
  let x1: Real = 0.0 in
  let x2: Bool = x == x1 in
  let x3: Tan = 0.0 in
  let x4: Real = sign x in
  let x5: Tan = dx * x4 in
  let x6: Tan = x2 ? x3 : x5 in
  let x7: (Real, Tan) = (x0, x6) in
  x7
=== 12: sqrt # the paper's figure has none: this is the textbook's
def f(x: Real): Real = sqrt x
--- jvp
def f.jvp(x: Real, dx: Tan): (Real, Tan) =
  let x0: Real = sqrt x in
  let x1: Real = x0 + x0 in
  let x2: Tan = dx / x1 in
  let x3: (Real, Tan) = (x0, x2) in
  x3
=== 12: +
def f(x: Real, y: Real): Real = x + y
--- jvp
def f.jvp(x: Real, dx: Tan, y: Real, dy: Tan): (Real, Tan) =
  let x0: Real = x + y in
  let x1: Tan = dx + dy in
  let x2: (Real, Tan) = (x0, x1) in
  x2
=== 12: x - y # the tangent is x' + (-y'): one rule for each argument
def f(x: Real, y: Real): Real = x - y
--- jvp
def f.jvp(x: Real, dx: Tan, y: Real, dy: Tan): (Real, Tan) =
  let x0: Real = x - y in
  let x1: Tan = -dy in
  let x2: Tan = dx + x1 in
  let x3: (Real, Tan) = (x0, x2) in
  x3
=== 12: ×
def f(x: Real, y: Real): Real = x × y
--- jvp
def f.jvp(x: Real, dx: Tan, y: Real, dy: Tan): (Real, Tan) =
  let x0: Real = x * y in
  let x1: Tan = dx * y in
  let x2: Tan = dy * x in
  let x3: Tan = x1 + x2 in
  let x4: (Real, Tan) = (x0, x3) in
  x4
=== 12: ÷ # x' / y - y' (z / y), which overflows only where the answer does
def f(x: Real, y: Real): Real = x ÷ y
--- jvp
def f.jvp(x: Real, dx: Tan, y: Real, dy: Tan): (Real, Tan) =
  let x0: Real = x / y in
  let x1: Tan = dx / y in
  let x2: Real = x0 / y in
  let x3: Tan = dy * x2 in
  let x4: Tan = -x3 in
  let x5: Tan = x1 + x4 in
  let x6: (Real, Tan) = (x0, x5) in
  x6
=== 12: x
def f(x: Real): Real = x
--- jvp
def f.jvp(x: Real, dx: Tan): (Real, Tan) =
  let x0: (Real, Tan) = (x, dx) in
  x0
=== 12: let x: τ = e in b
def f(x: Real): Real = let y: Real = x + x in let z: Real = -y in z
--- jvp
def f.jvp(x: Real, dx: Tan): (Real, Tan) =
  let x0: Real = x + x in
  let x1: Tan = dx + dx in
  let x2: Real = -x0 in
  let x3: Tan = -x1 in
  let x4: (Real, Tan) = (x2, x3) in
  x4
=== 12: let x = c in b # a literal has no tangent, and no instruction for its zero
def f(x: Real): Real = let c: Real = 2 in c × x
--- jvp
def f.jvp(x: Real, dx: Tan): (Real, Tan) =
  let x0: Real = 2.0 in
  let x1: Real = x0 * x in
  let x2: Tan = dx * x0 in
  let x3: (Real, Tan) = (x1, x2) in
  x3
=== 13: [x]
def f(x: Tan, y: Tan): [2]Tan = [x, y]
--- fwd
def f.fwd(): ([2](), (,)) =
  let x0: (,) = (,) in
  let x1: [2]() = zero in
  let x2: ([2](), (,)) = (x1, x0) in
  x2
--- bwd
def f.bwd(ct: [2]Real, tape: (,)): (Real, Real) =
  let x0: 2 = 0 in
  let x1: Real = ct[x0] in
  let x2: 2 = 1 in
  let x3: Real = ct[x2] in
  let x4: (Real, Real) = (x1, x3) in
  x4
=== 13: () # nothing is linear, so nothing goes back
def f(): () = ()
--- fwd
def f.fwd(): ((), (,)) =
  let x0: () = () in
  let x1: (,) = (,) in
  let x2: ((), (,)) = (x0, x1) in
  x2
--- bwd
def f.bwd(ct: (), tape: (,)): (,) =
  let x0: (,) = (,) in
  x0
=== 13: true
def f(): Bool = true
--- fwd
def f.fwd(): (Bool, (,)) =
  let x0: Bool = true in
  let x1: (,) = (,) in
  let x2: (Bool, (,)) = (x0, x1) in
  x2
--- bwd
def f.bwd(ct: (), tape: (,)): (,) =
  let x0: (,) = (,) in
  x0
=== 13: false
def f(): Bool = false
--- fwd
def f.fwd(): (Bool, (,)) =
  let x0: Bool = false in
  let x1: (,) = (,) in
  let x2: (Bool, (,)) = (x0, x1) in
  x2
--- bwd
def f.bwd(ct: (), tape: (,)): (,) =
  let x0: (,) = (,) in
  x0
=== 13: c
def f(): Real = 2.5
--- fwd
def f.fwd(): (Real, (,)) =
  let x0: Real = 2.5 in
  let x1: (,) = (,) in
  let x2: (Real, (,)) = (x0, x1) in
  x2
--- bwd
def f.bwd(ct: (), tape: (,)): (,) =
  let x0: (,) = (,) in
  x0
=== 13: n
def f(): 3 = 2
--- fwd
def f.fwd(): (3, (,)) =
  let x0: 3 = 2 in
  let x1: (,) = (,) in
  let x2: (3, (,)) = (x0, x1) in
  x2
--- bwd
def f.bwd(ct: (), tape: (,)): (,) =
  let x0: (,) = (,) in
  x0
=== 13: ẍ += y # what was added to is read, and what was read is added to
def f(x: &Tan, y: Tan): () = x += y
--- fwd
def f.fwd(): ((), (,)) =
  let x0: (,) = (,) in
  let x1: () = () in
  let x2: ((), (,)) = (x1, x0) in
  x2
--- bwd
def f.bwd(ct_x: Real, ct: (), tape: (,)): (Real,) =
  let x0: (Real,) = (ct_x,) in
  x0
=== 13: (x, y)
def f(x: Tan, y: Tan): (Tan, Tan) = (x, y)
--- fwd
def f.fwd(): (((), ()), (,)) =
  let x0: (,) = (,) in
  let x1: ((), ()) = zero in
  let x2: (((), ()), (,)) = (x1, x0) in
  x2
--- bwd
def f.bwd(ct: (Real, Real), tape: (,)): (Real, Real) =
  let x0: Real = fst ct in
  let x1: Real = snd ct in
  ct
=== 13: p ? x : y # a choice of cotangents, where the paper chooses accumulators; p is saved
def f(p: Bool, x: Tan, y: Tan): Tan = p ? x : y
--- fwd
def f.fwd(p: Bool): ((), (,)) =
  let x0: (,) = (,) in
  let x1: () = () in
  let x2: ((), (,)) = (x1, x0) in
  x2
--- bwd
def f.bwd(p: Bool, ct: Real, tape: (,)): (Real, Real) =
  let x0: Real = 0.0 in
  let x1: Real = p ? ct : x0 in
  let x2: Real = p ? x0 : ct in
  let x3: (Real, Real) = (x1, x2) in
  x3
=== 13: ⊖x # not linear: in the forward half alone
def f(x: Real): Real = sqrt x
--- fwd
def f.fwd(x: Real): (Real, (,)) =
  let x0: Real = sqrt x in
  let x1: (,) = (,) in
  let x2: (Real, (,)) = (x0, x1) in
  x2
--- bwd
def f.bwd(ct: (), tape: (,)): (,) =
  let x0: (,) = (,) in
  x0
=== 13: x ⊕ y
def f(x: Real, y: Real): Real = x × y
--- fwd
def f.fwd(x: Real, y: Real): (Real, (,)) =
  let x0: Real = x * y in
  let x1: (,) = (,) in
  let x2: (Real, (,)) = (x0, x1) in
  x2
--- bwd
def f.bwd(ct: (), tape: (,)): (,) =
  let x0: (,) = (,) in
  x0
=== 13: -x̂
def f(x: Tan): Tan = -x
--- fwd
def f.fwd(): ((), (,)) =
  let x0: (,) = (,) in
  let x1: () = () in
  let x2: ((), (,)) = (x1, x0) in
  x2
--- bwd
def f.bwd(ct: Real, tape: (,)): (Real,) =
  let x0: Real = -ct in
  let x1: (Real,) = (x0,) in
  x1
=== 13: x̂ + ŷ
def f(x: Tan, y: Tan): Tan = x + y
--- fwd
def f.fwd(): ((), (,)) =
  let x0: (,) = (,) in
  let x1: () = () in
  let x2: ((), (,)) = (x1, x0) in
  x2
--- bwd
def f.bwd(ct: Real, tape: (,)): (Real, Real) =
  let x0: (Real, Real) = (ct, ct) in
  x0
=== 13: x̂ × y # y is a parameter, so it is saved as one; else it is on the tape
def f(x: Tan, y: Real): Tan = x × y
--- fwd
def f.fwd(y: Real): ((), (,)) =
  let x0: (,) = (,) in
  let x1: () = () in
  let x2: ((), (,)) = (x1, x0) in
  x2
--- bwd
def f.bwd(y: Real, ct: Real, tape: (,)): (Real,) =
  let x0: Real = ct * y in
  let x1: (Real,) = (x0,) in
  x1
=== 13: x̂ - ŷ
def f(x: Tan, y: Tan): Tan = x - y
--- fwd
def f.fwd(): ((), (,)) =
  let x0: (,) = (,) in
  let x1: () = () in
  let x2: ((), (,)) = (x1, x0) in
  x2
--- bwd
def f.bwd(ct: Real, tape: (,)): (Real, Real) =
  let x0: Real = -ct in
  let x1: (Real, Real) = (ct, x0) in
  x1
=== 13: x̂ ÷ y
def f(x: Tan, y: Real): Tan = x ÷ y
--- fwd
def f.fwd(y: Real): ((), (,)) =
  let x0: (,) = (,) in
  let x1: () = () in
  let x2: ((), (,)) = (x1, x0) in
  x2
--- bwd
def f.bwd(y: Real, ct: Real, tape: (,)): (Real,) =
  let x0: Real = ct / y in
  let x1: (Real,) = (x0,) in
  x1
=== 14: T | x # the tape is one flat tuple, where the paper has pairs
def f(x: Tan): Tan = x
--- fwd
def f.fwd(): ((), (,)) =
  let x0: (,) = (,) in
  let x1: () = () in
  let x2: ((), (,)) = (x1, x0) in
  x2
--- bwd
def f.bwd(ct: Real, tape: (,)): (Real,) =
  let x0: (Real,) = (ct,) in
  x0
=== 14: let x: τ = e in b # the tape holds only what is read: here the square root
def f(x: Real, y: Tan): Tan = let z: Real = sqrt x in let w: Tan = y × z in w
--- fwd
def f.fwd(x: Real): ((), (Real,)) =
  let x0: Real = sqrt x in
  let x1: (Real,) = (x0,) in
  let x2: () = () in
  let x3: ((), (Real,)) = (x2, x1) in
  x3
--- bwd
def f.bwd(ct: Real, tape: (Real,)): (Real,) =
  let x0: Real = tape.0 in
  let x1: Real = ct * x0 in
  let x2: (Real,) = (x1,) in
  x2
=== 14: let z̈ = p ? ẍ : ÿ in b # an accumulator is never chosen: values are
def f(p: Bool, x: Tan, y: Tan): Tan = fst (accum a from x in a += p ? x : y)
--- fwd
def f.fwd(p: Bool): ((), (,)) =
  let x0: (,) = (,) in
  let x1: () = () in
  let x2: ((), (,)) = (x1, x0) in
  x2
--- bwd
def f.bwd(p: Bool, ct: Real, tape: (,)): (Real, Real) =
  let x0: Real = 0.0 in
  let x1: Real = p ? ct : x0 in
  let x2: Real = p ? x0 : ct in
  let x3: Real = x1 + ct in
  let x4: (Real, Real) = (x3, x2) in
  x4
=== 14: let x = a[i] in b
def f(a: [3]Tan, i: 3): Tan = a[i]
--- fwd
def f.fwd(i: 3): ((), (,)) =
  let x0: (,) = (,) in
  let x1: () = () in
  let x2: ((), (,)) = (x1, x0) in
  x2
--- bwd
def f.bwd(ct_a: &[3]Real, i: 3, ct: Real, tape: (,)): (,) =
  let a0: &Real = &ct_a[i] in
  let x0: () = a0 += ct in
  let x1: (,) = (,) in
  x1
=== 14: let x = fst π in b
def f(p: (Tan, Tan)): Tan = fst p
--- fwd
def f.fwd(): ((), (,)) =
  let x0: (,) = (,) in
  let x1: () = () in
  let x2: ((), (,)) = (x1, x0) in
  x2
--- bwd
def f.bwd(ct: Real, tape: (,)): (Real, Real) =
  let x0: Real = 0.0 in
  let x1: (Real, Real) = (ct, x0) in
  x1
=== 14: let x = snd π in b # of a vector in a pair, an accumulator
def f(p: (Tan, [2]Tan)): [2]Tan = snd p
--- fwd
def f.fwd(): ([2](), (,)) =
  let x0: (,) = (,) in
  let x1: [2]() = zero in
  let x2: ([2](), (,)) = (x1, x0) in
  x2
--- bwd
def f.bwd(ct_p: &[2]Real, ct: [2]Real, tape: (,)): (Real,) =
  let x0: () = ct_p += ct in
  let x1: Real = 0.0 in
  let x2: (Real,) = (x1,) in
  x2
=== 14: let ẍ = &fst π̈ in b
def f(p: &(Tan, Tan), y: Tan): () = &fst p += y
--- fwd
def f.fwd(): ((), (,)) =
  let x0: (,) = (,) in
  let x1: () = () in
  let x2: ((), (,)) = (x1, x0) in
  x2
--- bwd
def f.bwd(ct_p: (Real, Real), ct: (), tape: (,)): (Real,) =
  let x0: Real = fst ct_p in
  let x1: (Real,) = (x0,) in
  x1
=== 14: let ẍ = &a[i] in b
def f(a: &[3]Tan, i: 3, y: Tan): () = &a[i] += y
--- fwd
def f.fwd(i: 3): ((), (,)) =
  let x0: (,) = (,) in
  let x1: () = () in
  let x2: ((), (,)) = (x1, x0) in
  x2
--- bwd
def f.bwd(ct_a: [3]Real, i: 3, ct: (), tape: (,)): (Real,) =
  let x0: Real = ct_a[i] in
  let x1: (Real,) = (x0,) in
  x1
=== 14: let y = f⟨τ⟩(x) in b # the tape of the call is an item of the tape
def g(x: Tan, y: Real): Tan = x × sqrt y
def f(x: Tan, y: Real): Tan = let z: Tan = g(x, y) in -z
--- fwd
def g.fwd(y: Real): ((), (Real,)) =
  let x0: Real = sqrt y in
  let x1: (Real,) = (x0,) in
  let x2: () = () in
  let x3: ((), (Real,)) = (x2, x1) in
  x3

def f.fwd(y: Real): ((), ((Real,),)) =
  let x0: ((), (Real,)) = g.fwd(y) in
  let x1: () = fst x0 in
  let x2: (Real,) = snd x0 in
  let x3: ((Real,),) = (x2,) in
  let x4: () = () in
  let x5: ((), ((Real,),)) = (x4, x3) in
  x5
--- bwd
def g.bwd(ct: Real, tape: (Real,)): (Real,) =
  let x0: Real = tape.0 in
  let x1: Real = ct * x0 in
  let x2: (Real,) = (x1,) in
  x2

def f.bwd(ct: Real, tape: ((Real,),)): (Real,) =
  let x0: Real = -ct in
  let x1: (Real,) = tape.0 in
  let x2: (Real,) = g.bwd(x0, x1) in
  let x3: Real = x2.0 in
  let x4: (Real,) = (x3,) in
  x4
=== 14: let a = [for i: τ, b] in b # a vector of what each turn keeps; the turns need no order
def f(x: Tan, y: [3]Real): [3]Tan = let a: [3]Tan = [for i: 3, x × sqrt y[i]] in a
--- fwd
def f.fwd(y: [3]Real): ([3](), ([3]Real,)) =
  let x0: [3]Real = [for i0: 3,
    let x1: Real = y[i0] in
    let x2: Real = sqrt x1 in
    x2
  ] in
  let x3: [3]() = zero in
  let x4: ([3](),) = (x3,) in
  let x5: ([3]Real,) = (x0,) in
  let x6: ([3](), ([3]Real,)) = (x3, x5) in
  x6
--- bwd
def f.bwd(ct: [3]Real, tape: ([3]Real,)): (Real,) =
  let x0: Real = 0.0 in
  let x1: (Real, [3]()) =
    accum a0 from x0 in
      [for i0: 3,
        let x2: Real = ct[i0] in
        let x3: [3]Real = tape.0 in
        let x4: Real = x3[i0] in
        let x5: Real = x2 * x4 in
        let x6: () = a0 += x5 in
        x6
      ]
  in
  let x7: Real = fst x1 in
  let x8: (Real,) = (x7,) in
  x8
=== 14: let π = (accum ẍ from y in b) in b # `from` is a value in ours, so its cotangent goes back as well
def f(y: Tan, z: Tan, c: Real): Tan = let (s, _) = accum x from y in x += z × c in s
--- fwd
def f.fwd(c: Real): ((), (,)) =
  let x0: (,) = (,) in
  let x1: () = () in
  let x2: ((), (,)) = (x1, x0) in
  x2
--- bwd
def f.bwd(c: Real, ct: Real, tape: (,)): (Real, Real) =
  let x0: Real = ct * c in
  let x1: (Real, Real) = (ct, x0) in
  x1
"""


class Rule(NamedTuple):
    name: str
    before: str
    after: dict[str, str]


def rules() -> list[Rule]:
    out: list[Rule] = []
    for case in RULES.strip("\n").split("=== ")[1:]:
        title, _, rest = case.rstrip("\n").partition("\n")
        before, *parts = re.split(r"\n--- ", rest)
        after = {kind: text for kind, _, text in (part.partition("\n") for part in parts)}
        out.append(Rule(title.partition(" # ")[0], before, after))
    return out


def of(*kinds: str) -> pytest.MarkDecorator:
    found = [r for r in rules() if set(kinds) <= set(r.after)]
    return pytest.mark.parametrize("rule", found, ids=[r.name for r in found])


def main(text: str) -> Func:
    return check(parse(text).made["f", ()])


def same(f: Func, text: str) -> None:
    """`f` prints as the text, and the text reads as what prints so."""
    assert show(check(f)) == text
    module = parse(text)
    assert show(module.made[list(module.defs)[-1], ()]) == text


@of("is")
def test_typing(rule: Rule):
    same(main(rule.before), rule.after["is"])


@of("but not")
def test_what_a_typing_rule_does_not_allow(rule: Rule):
    with pytest.raises(RoseError) as e:
        parse(rule.after["but not"])
    assert f"{type(e.value).__name__}: {e.value.message}" in rule.after


@of("jvp")
def test_forward_mode(rule: Rule):
    f = main(rule.before)
    same(jvp(f, full_mask(f)).func, rule.after["jvp"])


@of("fwd", "bwd")
def test_transposition(rule: Rule):
    halves = transpose(main(rule.before))
    same(halves.fwd, rule.after["fwd"])
    same(halves.bwd, rule.after["bwd"])


def test_every_figure_has_its_rules():
    names = [r.name for r in rules()]
    count = {figure: sum(name.startswith(f"{figure}:") for name in names) for figure in range(9, 15)}
    assert len(set(names)) == len(names)
    assert count == {9: 23, 10: 11, 11: 28, 12: 14, 13: 16, 14: 11}
