"""Texts that are wrong, and what is said of them: what is wrong, where, with a caret, and what to write instead."""

from __future__ import annotations

import pytest

import rose
from rose.errors import RoseError, UnknownName, WrongSyntax
from rose.ir.text.module import parse

WRONG = """
=== an unknown name
def f(x: Real): Real = x + yy
---
UnknownName: there is no value yy
  at wrong.rose:1
    def f(x: Real): Real = x + yy
                               ^^
  hint: define it with a let before it
=== a name that is nearly right
def f(total: Real): Real = totl * 2
---
UnknownName: there is no value totl
  at wrong.rose:1
    def f(total: Real): Real = totl * 2
                               ^^^^
  hint: did you mean total?
=== a function in the place of a value
def g(x: Real): Real = x
def f(x: Real): Real = g + x
---
UnknownName: there is no value g
  at wrong.rose:2
    def f(x: Real): Real = g + x
                           ^
  hint: g is a function: call it
=== an unknown function
def half(x: Real): Real = x / 2
def f(x: Real): Real = halv(x)
---
UnknownName: there is no function halv
  at wrong.rose:2
    def f(x: Real): Real = halv(x)
                           ^^^^^^^
  hint: did you mean half?
=== an unknown type
def f(x: Rael): Real = 1
---
UnknownName: there is no type Rael
  at wrong.rose:1
    def f(x: Rael): Real = 1
             ^^^^
  hint: did you mean Real?
=== a let of another type
def f(x: Real): Real =
  let c: Bool = x + x in
  x
---
TypeMismatch: what c names is a Real, and must be a Bool
  at wrong.rose:2
    let c: Bool = x + x in
                  ^^^^^
  hint: both types must be the same
=== a result of another type
def f(x: Real): Bool =
  x * x
---
TypeMismatch: what the function gives is a Real, and must be a Bool
  at wrong.rose:2
    x * x
    ^^^^^
  hint: both types must be the same
=== an argument of another type
def g(c: Bool): Bool = not c
def f(x: Real): Bool = g(x)
---
TypeMismatch: the argument c is a Real, and must be a Bool
  at wrong.rose:2
    def f(x: Real): Bool = g(x)
                             ^
  hint: both types must be the same
=== an operation on the wrong types
def f(c: Bool, x: Real): Real = c * x
---
TypeMismatch: * does not accept (Bool, Real)
  at wrong.rose:1
    def f(c: Bool, x: Real): Real = c * x
                                    ^^^^^
  hint: mul: `x * y`
=== a parenthesis that is not closed
def f(x: Real): Real =
  (x + 1
---
WrongSyntax: expected ')', got the end of the text
  at wrong.rose:2
    (x + 1
          ^
  hint: a parenthesis that is opened is closed with )
=== a bracket that is not closed
def f(v: [2]Real): Real = v[0
---
WrongSyntax: expected ']', got the end of the text
  at wrong.rose:1
    def f(v: [2]Real): Real = v[0
                                 ^
  hint: write v[i]
=== a let without in
def f(x: Real): Real =
  let y: Real = x * x
  y
---
WrongSyntax: expected 'in', got 'y'
  at wrong.rose:3
    y
    ^
  hint: a `let` ends with `in`, and what it is for comes after
=== a missing result
def f(x: Real): Real =
  let y: Real = x in
---
WrongSyntax: expected an expression, got the end of the text
  at wrong.rose:2
    let y: Real = x in
                      ^
  hint: an expression is a name, a number, a call, (x, y), [x, y], or [for i: n, ...]
=== a missing body
def f(x: Real): Real
---
WrongSyntax: expected '=', got the end of the text
  at wrong.rose:1
    def f(x: Real): Real
                        ^
  hint: write def f(x: Real): Real = x
=== a missing type
def f(x): Real = x
---
WrongSyntax: expected ':', got ')'
  at wrong.rose:1
    def f(x): Real = x
           ^
  hint: a parameter has a type, as in x: Real
=== something between definitions
def f(x: Real): Real = x
42
---
WrongSyntax: expected a definition, got '42'
  at wrong.rose:2
    42
    ^^
  hint: a program is a row of `def` and `type`
=== a character that means nothing
def f(x: Real): Real = x $ 2
---
WrongSyntax: '$' has no meaning here
  at wrong.rose:1
    def f(x: Real): Real = x $ 2
                             ^
  hint: a comment starts with #
=== a bad number
def f(x: Real): Real = x * 1.2.3
---
WrongSyntax: 1.2.3 is not a number
  at wrong.rose:1
    def f(x: Real): Real = x * 1.2.3
                               ^^^^^
  hint: write 1, 1.5, 1e-3 or 0x1.8p+1
=== too few arguments
def g(x: Real, y: Real): Real = x
def f(x: Real): Real = g(x)
---
TypeMismatch: g takes 2 arguments, got 1
  at wrong.rose:2
    def f(x: Real): Real = g(x)
                           ^^^^
  hint: see g's definition
=== an operation with too many
def f(x: Real): Real = sqrt(x, x)
---
TypeMismatch: sqrt takes 1 argument, got 2
  at wrong.rose:1
    def f(x: Real): Real = sqrt(x, x)
                           ^^^^^^^^^^
  hint: sqrt: The square root; nan below zero.
=== a literal index outside
def f(v: [3]Real): Real = v[3]
---
OutOfRange: index 3 is out of range for 3 elements
  at wrong.rose:1
    def f(v: [3]Real): Real = v[3]
                                ^
  hint: they go from 0 to 2
=== an index that may be outside
def f(v: [3]Real, i: 5): Real = v[i]
---
OutOfRange: an index below 5 may be out of range for 3 elements
  at wrong.rose:1
    def f(v: [3]Real, i: 5): Real = v[i]
                                      ^
  hint: i % 3 is below 3
=== an index that is no index
def f(v: [3]Real, x: Real): Real = v[x]
---
TypeMismatch: a Real is not an index
  at wrong.rose:1
    def f(v: [3]Real, x: Real): Real = v[x]
                                         ^
  hint: an index comes from a loop, a parameter like i: 3, or a literal
=== an element of a number
def f(x: Real): Real = x[0]
---
TypeMismatch: a Real has no elements
  at wrong.rose:1
    def f(x: Real): Real = x[0]
                           ^
  hint: a vector has; of a tuple, write t.0
=== an index literal that is no integer
def f(v: [3]Real): Real =
  let i: 3 = 1.5 in
  v[i]
---
TypeMismatch: 1.5 is not an index
  at wrong.rose:2
    let i: 3 = 1.5 in
               ^^^
  hint: an index below 3 is written as an integer
=== a vector of another size
def f(): [3]Real = [1, 2]
---
TypeMismatch: there are 2 elements, and there must be 3
  at wrong.rose:1
    def f(): [3]Real = [1, 2]
                       ^^^^^^
  hint: the size is a part of the type
=== a part that is not there
type P = {x: Real, y: Real}
def f(p: P): Real = p.z
---
NoField: a P has no part z
  at wrong.rose:2
    def f(p: P): Real = p.z
                        ^^^
  hint: it has x, y
=== an item that is not there
def f(p: (Real, Real)): Real = p.2
---
NoField: a (Real, Real) has no part 2
  at wrong.rose:1
    def f(p: (Real, Real)): Real = p.2
                                   ^^^
  hint: it has 0 to 1, as in t.0
=== a part of a vector
def f(v: [2]Real): Real = fst v
---
NoField: a [2]Real has no parts
  at wrong.rose:1
    def f(v: [2]Real): Real = fst v
                              ^^^^^
  hint: a tuple has; of a vector, write v[i]
=== a pattern that does not fit
def f(p: (Real, Real)): Real =
  let (x, y, z) = p in
  x
---
TypeMismatch: a (Real, Real) is not 3 things
  at wrong.rose:2
    let (x, y, z) = p in
        ^^^^^^^^^
  hint: it has 2
=== two functions of one name
def f(x: Real): Real = x
def f(y: Real): Real = y
---
WrongSyntax: there are two functions f
  at wrong.rose:2
    def f(y: Real): Real = y
        ^
  hint: give each its own name
=== two types of one name
type T = Real
type T = Bool
---
WrongSyntax: there are two types T
  at wrong.rose:2
    type T = Bool
         ^
  hint: give each its own name
=== two parameters of one name
def f(x: Real, x: Real): Real = x
---
WrongSyntax: there are two parameters x
  at wrong.rose:1
    def f(x: Real, x: Real): Real = x
                   ^
  hint: give each its own name
=== a function that calls itself
def f(x: Real): Real = f(x)
---
RoseError: f calls itself: f -> f
  at wrong.rose:1
    def f(x: Real): Real = f(x)
                           ^^^^
  hint: a function calls only others, without cycles
=== functions that call one another
def f(x: Real): Real = g(x)
def g(x: Real): Real = 1 + f(x)
---
RoseError: f calls itself: f -> g -> f
  at wrong.rose:2
    def g(x: Real): Real = 1 + f(x)
                               ^^^^
  hint: a function calls only others, without cycles
=== adding after the freeze
def f(x: Real): Real =
  let a: &Real = accum x in
  let y: Real = freeze a in
  let u: () = a += x in
  y
---
TypeMismatch: this accumulator was frozen before
  at wrong.rose:4
    let u: () = a += x in
                ^
  hint: add to it before its freeze
=== adding outside of the region
def f(x: Real): Real =
  let (y, _) = accum a from x in a += x in
  let u: () = a += x in
  y
---
UnknownName: there is no value a
  at wrong.rose:3
    let u: () = a += x in
                ^
  hint: define it with a let before it
=== reading an accumulator
def f(x: Real): Real =
  let (y, z) = accum a from x in a + x in
  y
---
TypeMismatch: an accumulator is only added to, frozen, or given to a function
  at wrong.rose:2
    let (y, z) = accum a from x in a + x in
                                   ^
  hint: write a += x
=== adding to a value
def f(x: Real): () = x += x
---
TypeMismatch: a Real is not an accumulator
  at wrong.rose:1
    def f(x: Real): () = x += x
                         ^
  hint: accum a from x in ... opens one
=== adding another type
def f(x: Real, c: Bool): () =
  let (y, u) = accum a from x in a += c in
  ()
---
TypeMismatch: what is added is a Bool, and must be a Real
  at wrong.rose:2
    let (y, u) = accum a from x in a += c in
                                        ^
  hint: both types must be the same
=== an accumulator in a tuple
def f(x: Real): Real =
  let a: &Real = accum x in
  let t = (a, x) in
  freeze a
---
TypeMismatch: an accumulator is only added to, frozen, or given to a function
  at wrong.rose:3
    let t = (a, x) in
             ^
  hint: write a += x
=== freezing in a loop
def f(x: Real): Real =
  let a: &Real = accum x in
  let u = [for i: 2, freeze a] in
  x
---
TypeMismatch: an accumulator is frozen as a whole, where it was opened
  at wrong.rose:3
    let u = [for i: 2, freeze a] in
                       ^^^^^^^^
  hint: freeze it after the loop
=== an accumulator of an accumulator
def f(a: [3]&Real): () = ()
---
TypeMismatch: an accumulator cannot be a part of something
  at wrong.rose:1
    def f(a: [3]&Real): () = ()
                ^^^^^
  hint: it is a parameter, or local
=== a tangent used nonlinearly
def f(x: Real, dx: Tan): Tan = dx * dx
---
NotLinear: * does not accept (Tan, Tan)
  at wrong.rose:1
    def f(x: Real, dx: Tan): Tan = dx * dx
                                   ^^^^^^^
  hint: a tangent may be added to a tangent, and multiplied or divided by a Real: nothing else is linear
=== a tangent in a function of mathematics
def f(dx: Tan): Tan = sqrt dx
---
NotLinear: sqrt does not accept (Tan)
  at wrong.rose:1
    def f(dx: Tan): Tan = sqrt dx
                          ^^^^^^^
  hint: a tangent may be added to a tangent, and multiplied or divided by a Real: nothing else is linear
=== a number in the place of a tangent
def f(dx: Tan): Tan = dx + 1
---
NotLinear: + does not accept (Tan, Real)
  at wrong.rose:1
    def f(dx: Tan): Tan = dx + 1
                          ^^^^^^
  hint: a tangent may be added to a tangent, and multiplied or divided by a Real: nothing else is linear
=== a number where a tangent must be
def f(x: Real): Tan = x
---
NotLinear: what the function gives is a Real, and must be a Tan
  at wrong.rose:1
    def f(x: Real): Tan = x
                          ^
  hint: a tangent may be added to a tangent, and multiplied or divided by a Real: nothing else is linear
=== an opaque function of tangents
def f(dx: Tan): Real = opaque
---
TypeMismatch: an opaque function cannot see a Tan
  at wrong.rose:1
    def f(dx: Tan): Real = opaque
        ^
  hint: write Real
=== a rule of the wrong type
def f(x: Real): Real = opaque
def g(x: Real): Real = x
jvp f = g
---
TypeMismatch: g cannot be the derivative of f
  at wrong.rose:3
    jvp f = g
            ^
  hint: it must be (Real, Tan): (Real, Tan)
=== a rule for nothing
def g(x: Real): Real = x
jvp f = g
---
UnknownName: there is no function f
  at wrong.rose:2
    jvp f = g
        ^
  hint: it must be defined, and not be generic
=== a zero of no type
def f(x: Real): Real = let z = zero in x
---
TypeMismatch: the type of this zero is not known
  at wrong.rose:1
    def f(x: Real): Real = let z = zero in x
                                   ^^^^
  hint: give it: let x: [3]Real = zero in
=== an empty vector of no type
def f(x: Real): Real = let z = [] in x
---
TypeMismatch: the type of this empty vector is not known
  at wrong.rose:1
    def f(x: Real): Real = let z = [] in x
                                   ^^
  hint: give it: let v: [0]Real = [] in
=== a loop over no index
def f(x: Real): [2]Real = [for i: Real, x]
---
TypeMismatch: a loop goes over an index, not over a Real
  at wrong.rose:1
    def f(x: Real): [2]Real = [for i: Real, x]
                                      ^^^^
  hint: write [for i: 3, ...]
=== a state of another type
def f(x: Real): Bool = [for i: 3, s: Bool from x, s]
---
TypeMismatch: what a state starts from is a Real, and must be a Bool
  at wrong.rose:1
    def f(x: Real): Bool = [for i: 3, s: Bool from x, s]
                                                   ^
  hint: both types must be the same
=== a turn of another type
def f(x: Real): Real = [for i: 3, s: Real from x, s < x]
---
TypeMismatch: the result of an iteration is a Bool, and must be a Real
  at wrong.rose:1
    def f(x: Real): Real = [for i: 3, s: Real from x, s < x]
                                                      ^^^^^
  hint: both types must be the same
=== a generic function that is not inferred
def z<n: Index>(): [n]Real = zero
def f(): [3]Real = z()
---
TypeMismatch: the arguments do not say what n is
  at wrong.rose:2
    def f(): [3]Real = z()
                       ^^^
  hint: write z<...>(...)
=== a generic function of another kind
def g<n: Index>(x: n): n = x
def f(x: Real): Real = g(x)
---
TypeMismatch: Real is not of kind Index, as n must be
  at wrong.rose:2
    def f(x: Real): Real = g(x)
                           ^^^^
  hint: Index stands for sizes, Value for all that is not an accumulator, Type for all
=== an if on no parameter
def g(x: Real): Real = x
def f(x: Real): Real = if x then g(x) else g(x)
---
TypeMismatch: an if is on the first parameter, and gives both functions all others
  at wrong.rose:2
    def f(x: Real): Real = if x then g(x) else g(x)
                                     ^^^^
  hint: c ? x : y chooses between two values
=== a comparison of a chain
def f(x: Real): Bool = 1 < x < 2
---
WrongSyntax: a comparison of a comparison
  at wrong.rose:1
    def f(x: Real): Bool = 1 < x < 2
                                 ^
  hint: write a < b and b < c, or put one in parentheses
=== arms of two types
def f(c: Bool, x: Real): Real = c ? x : c
---
TypeMismatch: an arm is a Bool, and must be a Real
  at wrong.rose:1
    def f(c: Bool, x: Real): Real = c ? x : c
                                            ^
  hint: both types must be the same
=== what gives something before a semicolon
def f(x: Real): Real = x * x; x
---
TypeMismatch: what stands before a ; gives nothing, and this is a Real
  at wrong.rose:1
    def f(x: Real): Real = x * x; x
                           ^^^^^
  hint: name it: let x = ... in
=== a while without do
def small(x: Real, y: Real): Bool = x < 9.0
def turn(x: Real, y: Real): (Real,) = (x * y,)
def f(x: Real, y: Real): (Real,) = while small(x, y) turn(x, y)
---
WrongSyntax: expected 'do', got 'turn'
  at wrong.rose:3
    def f(x: Real, y: Real): (Real,) = while small(x, y) turn(x, y)
                                                         ^^^^
  hint: write while test(x, y) do step(x, y), of two functions of all parameters
=== a while without a turn
def small(x: Real, y: Real): Bool = x < 9.0
def turn(x: Real, y: Real): (Real,) = (x * y,)
def f(x: Real, y: Real): (Real,) = while small(x, y) do
---
WrongSyntax: expected a function, got the end of the text
  at wrong.rose:3
    def f(x: Real, y: Real): (Real,) = while small(x, y) do
                                                           ^
  hint: write while test(x, y) do step(x, y), of two functions of all parameters
=== a test that is no call
def small(x: Real, y: Real): Bool = x < 9.0
def turn(x: Real, y: Real): (Real,) = (x * y,)
def f(x: Real, y: Real): (Real,) = while small do turn(x, y)
---
WrongSyntax: expected '(', got 'do'
  at wrong.rose:3
    def f(x: Real, y: Real): (Real,) = while small do turn(x, y)
                                                   ^^
  hint: write while test(x, y) do step(x, y), of two functions of all parameters
=== a test that is not given all parameters
def small(x: Real, y: Real): Bool = x < 9.0
def turn(x: Real, y: Real): (Real,) = (x * y,)
def f(x: Real, y: Real): (Real,) = while small(x) do turn(x, y)
---
TypeMismatch: a while gives both functions all parameters
  at wrong.rose:3
    def f(x: Real, y: Real): (Real,) = while small(x) do turn(x, y)
                                             ^^^^^^^^
  hint: the first of them are its states
=== a turn that is given them in another order
def small(x: Real, y: Real): Bool = x < 9.0
def turn(x: Real, y: Real): (Real,) = (x * y,)
def f(x: Real, y: Real): (Real,) = while small(x, y) do turn(y, x)
---
TypeMismatch: a while gives both functions all parameters
  at wrong.rose:3
    def f(x: Real, y: Real): (Real,) = while small(x, y) do turn(y, x)
                                                            ^^^^^^^^^^
  hint: the first of them are its states
=== a turn that is given something else
def small(x: Real, y: Real): Bool = x < 9.0
def turn(x: Real, y: Real): (Real,) = (x * y,)
def f(x: Real, y: Real): (Real,) = while small(x, y) do turn(x, 2.0)
---
TypeMismatch: a while gives both functions all parameters
  at wrong.rose:3
    def f(x: Real, y: Real): (Real,) = while small(x, y) do turn(x, 2.0)
                                                            ^^^^^^^^^^^^
  hint: the first of them are its states
=== a test of fewer parameters
def small(x: Real): Bool = x < 9.0
def turn(x: Real, y: Real): (Real,) = (x * y,)
def f(x: Real, y: Real): (Real,) = while small(x, y) do turn(x, y)
---
TypeMismatch: small takes 1 arguments, got 2
  at wrong.rose:3
    def f(x: Real, y: Real): (Real,) = while small(x, y) do turn(x, y)
                                             ^^^^^^^^^^^
  hint: see small's definition
=== a test of parameters of other types
def small(x: Real, y: Real): Bool = x < 9.0
def turn(x: Real, y: Real): (Real,) = (x * y,)
def f(x: Real, y: Bool): (Real,) = while small(x, y) do turn(x, y)
---
TypeMismatch: what small takes is a (Real, Real), and must be a (Real, Bool)
  at wrong.rose:3
    def f(x: Real, y: Bool): (Real,) = while small(x, y) do turn(x, y)
                                             ^^^^^^^^^^^
  hint: both types must be the same
=== a turn that gives no state
def small(x: Real, y: Real): Bool = x < 9.0
def turn(x: Real, y: Real): Real = x * y
def f(x: Real, y: Real): Real = while small(x, y) do turn(x, y)
---
TypeMismatch: the body of a loop gives its next state, not a Real
  at wrong.rose:3
    def f(x: Real, y: Real): Real = while small(x, y) do turn(x, y)
                                                         ^^^^^^^^^^
  hint: it gives a tuple of the first parameters' types: the states of the next iteration
=== a turn that gives another state
def small(x: Real, y: Real): Bool = x < 9.0
def turn(x: Real, y: Real): (Bool,) = (x < y,)
def f(x: Real, y: Real): (Bool,) = while small(x, y) do turn(x, y)
---
TypeMismatch: the body of a loop gives its next state, not a (Bool,)
  at wrong.rose:3
    def f(x: Real, y: Real): (Bool,) = while small(x, y) do turn(x, y)
                                                            ^^^^^^^^^^
  hint: it gives a tuple of the first parameters' types: the states of the next iteration
=== a while of another type
def small(x: Real, y: Real): Bool = x < 9.0
def turn(x: Real, y: Real): (Real,) = (x * y,)
def f(x: Real, y: Real): (Real, Real) = while small(x, y) do turn(x, y)
---
TypeMismatch: the result of an iteration is a (Real,), and must be a (Real, Real)
  at wrong.rose:3
    def f(x: Real, y: Real): (Real, Real) = while small(x, y) do turn(x, y)
                                                                 ^^^^^^^^^^
  hint: both types must be the same
=== a test that gives no Bool
def small(x: Real, y: Real): Real = x
def turn(x: Real, y: Real): (Real,) = (x * y,)
def f(x: Real, y: Real): (Real,) = while small(x, y) do turn(x, y)
---
TypeMismatch: the test is a Real, and must be a Bool
  at wrong.rose:3
    def f(x: Real, y: Real): (Real,) = while small(x, y) do turn(x, y)
                                             ^^^^^^^^^^^
  hint: both types must be the same
=== an unknown test
def small(x: Real, y: Real): Bool = x < 9.0
def turn(x: Real, y: Real): (Real,) = (x * y,)
def f(x: Real, y: Real): (Real,) = while smal(x, y) do turn(x, y)
---
UnknownName: there is no function smal
  at wrong.rose:3
    def f(x: Real, y: Real): (Real,) = while smal(x, y) do turn(x, y)
                                             ^^^^^^^^^^
  hint: did you mean small?
=== an unknown turn
def small(x: Real, y: Real): Bool = x < 9.0
def turn(x: Real, y: Real): (Real,) = (x * y,)
def f(x: Real, y: Real): (Real,) = while small(x, y) do next(x, y)
---
UnknownName: there is no function next
  at wrong.rose:3
    def f(x: Real, y: Real): (Real,) = while small(x, y) do next(x, y)
                                                            ^^^^^^^^^^
  hint: define it with def
=== an operation for a test
def small(x: Real, y: Real): Bool = x < 9.0
def turn(x: Real, y: Real): (Real,) = (x * y,)
def f(x: Real, y: Real): (Real,) = while sin(x, y) do turn(x, y)
---
UnknownName: there is no function sin
  at wrong.rose:3
    def f(x: Real, y: Real): (Real,) = while sin(x, y) do turn(x, y)
                                             ^^^^^^^^^
  hint: define it with def
=== a while that is its own turn
def small(x: Real, y: Real): Bool = x < 9.0
def turn(x: Real, y: Real): (Real,) = (x * y,)
def f(x: Real, y: Real): (Real,) = while small(x, y) do f(x, y)
---
RoseError: f calls itself: f -> f
  at wrong.rose:3
    def f(x: Real, y: Real): (Real,) = while small(x, y) do f(x, y)
                                                            ^^^^^^^
  hint: a function calls only others, without cycles
=== a linear function without a transpose
def by(x: Real, k: Real): Real = x * k
def f(x: Tan, k: Real): Tan = linear by(x, k)
---
WrongSyntax: expected 'transposed', got the end of the text
  at wrong.rose:2
    def f(x: Tan, k: Real): Tan = linear by(x, k)
                                                 ^
  hint: write linear f(x, y) transposed g(x, y), of two functions of all parameters
=== a linear function that is not given all parameters
def by(x: Real, k: Real): Real = x * k
def f(x: Tan, k: Real): Tan = linear by(x, k) transposed by(x)
---
TypeMismatch: a linear function gives both functions all parameters
  at wrong.rose:2
    def f(x: Tan, k: Real): Tan = linear by(x, k) transposed by(x)
                                                             ^^^^^
  hint: the first of them is its tangent
=== a linear function of a function that is not there
def by(x: Real, k: Real): Real = x * k
def f(x: Tan, k: Real): Tan = linear by(x, k) transposed bye(x, k)
---
UnknownName: there is no function bye
  at wrong.rose:2
    def f(x: Tan, k: Real): Tan = linear by(x, k) transposed bye(x, k)
                                                             ^^^^^^^^^
  hint: did you mean by?
=== a linear function of a number
def by(x: Real, k: Real): Real = x * k
def f(x: Real, k: Real): Real = linear by(x, k) transposed by(x, k)
---
TypeMismatch: a linear function takes a tangent first
  at wrong.rose:2
    def f(x: Real, k: Real): Real = linear by(x, k) transposed by(x, k)
        ^
  hint: write Tan, or a vector of such
=== a transpose of another type
def by(x: Real, k: Real): Real = x * k
def two(x: Real, k: Real): (Real, Real) = (x, k)
def f(x: Tan, k: Real): Tan = linear by(x, k) transposed two(x, k)
---
TypeMismatch: the transpose is a (Real, Real), and must be a Real
  at wrong.rose:3
    def f(x: Tan, k: Real): Tan = linear by(x, k) transposed two(x, k)
                                                             ^^^^^^^^^
  hint: both types must be the same
=== a linear function that gives a number
def by(x: Real, k: Real): Real = x * k
def f(x: Tan, k: Real): Real = linear by(x, k) transposed by(x, k)
---
NotLinear: the result is a Tan, and must be a Real
  at wrong.rose:2
    def f(x: Tan, k: Real): Real = linear by(x, k) transposed by(x, k)
                                          ^^^^^^^^
  hint: a tangent may be added to a tangent, and multiplied or divided by a Real: nothing else is linear
=== a limit that is no number
def small(x: Real, y: Real): Bool = x < 9.0
def turn(x: Real, y: Real): (Real,) = (x * y,)
def f(x: Real, y: Real): (Real,) = while small(x, y) do turn(x, y) max x
---
WrongSyntax: expected how many iterations at most, got 'x'
  at wrong.rose:3
    def f(x: Real, y: Real): (Real,) = while small(x, y) do turn(x, y) max x
                                                                           ^
  hint: write max 100
=== a limit that is no integer
def small(x: Real, y: Real): Bool = x < 9.0
def turn(x: Real, y: Real): (Real,) = (x * y,)
def f(x: Real, y: Real): (Real,) = while small(x, y) do turn(x, y) max 1.5
---
WrongSyntax: expected how many iterations at most, got '1.5'
  at wrong.rose:3
    def f(x: Real, y: Real): (Real,) = while small(x, y) do turn(x, y) max 1.5
                                                                           ^^^
  hint: write max 100
=== a limit that is not there
def small(x: Real, y: Real): Bool = x < 9.0
def turn(x: Real, y: Real): (Real,) = (x * y,)
def f(x: Real, y: Real): (Real,) = while small(x, y) do turn(x, y) max
---
WrongSyntax: expected how many iterations at most, got the end of the text
  at wrong.rose:3
    def f(x: Real, y: Real): (Real,) = while small(x, y) do turn(x, y) max
                                                                          ^
  hint: write max 100
=== a limit that is too large
def small(x: Real, y: Real): Bool = x < 9.0
def turn(x: Real, y: Real): (Real,) = (x * y,)
def f(x: Real, y: Real): (Real,) = while small(x, y) do turn(x, y) max 99999999999999999999
---
WrongSyntax: a loop cannot have '99999999999999999999' iterations at most
  at wrong.rose:3
    def f(x: Real, y: Real): (Real,) = while small(x, y) do turn(x, y) max 99999999999999999999
                                                                           ^^^^^^^^^^^^^^^^^^^^
  hint: leave it out for any number of iterations
=== a generic test of another size
def small<n: Index>(v: [n]Real): Bool = true
def turn(v: [2]Real): ([2]Real,) = (v,)
def f(v: [2]Real): ([2]Real,) = while small<3>(v) do turn(v)
---
TypeMismatch: what small takes is a ([3]Real,), and must be a ([2]Real,)
  at wrong.rose:3
    def f(v: [2]Real): ([2]Real,) = while small<3>(v) do turn(v)
                                          ^^^^^^^^^^^
  hint: both types must be the same
=== types for a test that is not generic
def small(x: Real, y: Real): Bool = x < 9.0
def turn(x: Real, y: Real): (Real,) = (x * y,)
def f(x: Real, y: Real): (Real,) = while small<3>(x, y) do turn(x, y)
---
TypeMismatch: small takes 0 types, got 1
  at wrong.rose:3
    def f(x: Real, y: Real): (Real,) = while small<3>(x, y) do turn(x, y)
                                             ^^^^^^^^^^^^^^
  hint: it is not generic
=== a while inside of an expression
def small(x: Real, y: Real): Bool = x < 9.0
def turn(x: Real, y: Real): (Real,) = (x * y,)
def f(x: Real, y: Real): (Real,) = let z: (Real,) = while small(x, y) do turn(x, y) in z
---
WrongSyntax: expected an expression, got 'while'
  at wrong.rose:3
    def f(x: Real, y: Real): (Real,) = let z: (Real,) = while small(x, y) do turn(x, y) in z
                                                        ^^^^^
  hint: an expression is a name, a number, a call, (x, y), [x, y], or [for i: n, ...]
=== a while without a state
def t(): Bool = false
def s(): () = ()
def f(): () = while t() do s()
---
TypeMismatch: the body of a loop gives its next state, not a ()
  at wrong.rose:3
    def f(): () = while t() do s()
                               ^^^
  hint: it gives a tuple of the first parameters' types: the states of the next iteration
=== a stack that is not closed
def f(s: Stack[Real): Real = 1
---
WrongSyntax: expected ']', got ')'
  at wrong.rose:1
    def f(s: Stack[Real): Real = 1
                       ^
  hint: write Stack[Real]
=== a stack of nothing
def f(s: Stack): Real = 1
---
UnknownName: there is no type Stack
  at wrong.rose:1
    def f(s: Stack): Real = 1
             ^^^^^
  hint: the types are Real, Bool, (), 3, [3]Real, (Real, Real), {x: Real}, &Real, Stack[Real] and names
=== a stack of two types
def f(s: Stack[Real, Real]): Real = 1
---
WrongSyntax: expected ']', got ','
  at wrong.rose:1
    def f(s: Stack[Real, Real]): Real = 1
                       ^
  hint: write Stack[Real]
=== a stack of an unknown type
def f(s: Stack[Rael]): Real = 1
---
UnknownName: there is no type Rael
  at wrong.rose:1
    def f(s: Stack[Rael]): Real = 1
                   ^^^^
  hint: did you mean Real?
=== a stack of accumulators
def f(s: Stack[&Real]): Real = 1
---
TypeMismatch: an accumulator cannot be a part of something
  at wrong.rose:1
    def f(s: Stack[&Real]): Real = 1
                   ^^^^^
  hint: it is a parameter, or local
=== an item of another type on a stack
def f(s: Stack[Real], x: Bool): Stack[Real] = push(s, x)
---
TypeMismatch: push does not accept (Stack[Real], Bool)
  at wrong.rose:1
    def f(s: Stack[Real], x: Bool): Stack[Real] = push(s, x)
                                                  ^^^^^^^^^^
  hint: push: A stack with one more item.
=== an item of what is no stack
def f(x: Real): Real = pop(x)
---
TypeMismatch: pop does not accept (Real)
  at wrong.rose:1
    def f(x: Real): Real = pop(x)
                           ^^^^^^
  hint: pop: The top item of a stack, and the stack below it.
"""


def cases() -> list[tuple[str, str, str]]:
    out: list[tuple[str, str, str]] = []
    for case in WRONG.strip("\n").split("=== ")[1:]:
        title, _, rest = case.rstrip("\n").partition("\n")
        text, _, said = rest.partition("\n---\n")
        out.append((title, text, said))
    return out


@pytest.mark.parametrize(("text", "said"), [c[1:] for c in cases()], ids=[c[0] for c in cases()])
def test_a_wrong_text(text: str, said: str):
    with pytest.raises(RoseError) as e:
        parse(text, "wrong.rose")
    assert f"{type(e.value).__name__}: {e.value}" == said


def test_each_message_is_short_and_has_a_caret_and_a_hint():
    for _, _, said in cases():
        lines = said.split("\n")
        assert len(lines) == 5 and set(lines[3].strip()) == {"^"} and lines[4].startswith("  hint: ")


def test_a_place_after_letters_of_several_bytes_and_on_a_later_line():
    with pytest.raises(UnknownName) as e:
        rose.parse("def f(x: Real): Real =  # é×\n  let λ = x × x in λ × yy")
    assert str(e.value).split("\n")[2:4] == ["    let λ = x × x in λ × yy", "                         ^^"]


def test_a_text_has_the_name_that_it_is_given():
    with pytest.raises(WrongSyntax, match=r"at my\.rose:1"):
        rose.parse("def", file="my.rose")
    with pytest.raises(WrongSyntax, match=r"at <text \d+>:1"):
        rose.parse("def")


def test_a_message_shows_no_frame_of_ours():
    with pytest.raises(WrongSyntax) as e:
        rose.parse("def")
    assert [entry.path.name for entry in e.traceback] == ["test_elaborate.py"]


def test_parse_takes_a_text():
    with pytest.raises(rose.TypeMismatch, match="takes a text, not 3"):
        rose.parse(3)  # pyright: ignore


def test_an_opaque_function_that_nobody_gave():
    f = rose.parse("def h(x: Real): Real = opaque\ndef f(x: Real): Real = h(x) + 1")["f"]
    with pytest.raises(RoseError, match="h is opaque, and nothing says what it does in Python"):
        f(1.0)


def test_a_generic_function_by_a_name_that_is_not_there():
    with pytest.raises(KeyError):
        _ = rose.parse("def f(x: Real): Real = x")["g<3>"]


SPAN = """
def f(x: [4]Real, n: 5): Real =
  let s: Span[4, 1, 5] = (0, n) in
  let (sum, _): (Real, ()) =
    accum total from 0.0 in
      let _: Span[4, 1, 5] = [for i: 4, t: Span[4, 1, 5] from s, let _: () = total += x[i] in t] in
      ()
  in
  sum
"""


def test_a_loop_with_a_span_runs_for_the_indices_in_it():
    assert rose.parse(SPAN)["f"]([1.0, 2.0, 4.0, 8.0], 3) == 7.0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("in t]", "in s]", "the span of a loop stays as it is"),
        ("[for i: 4", "[for i: 3", "a span of indices below 3 is the first state"),
        ("Span[4, 1, 5] = (0", "Span[3, 1, 5] = (0", "a span of indices below 3 cannot end at 4"),
        ("Span[4, 1, 5] = (0", "Span[4, 1] = (0", "a span has 3 parts, got 2"),
        ("Span[4, 1, 5] = (0", "Span[Real, 1, 5] = (0", "a span is of indices"),
    ],
)
def test_a_span_that_no_loop_can_have_is_refused(old: str, new: str, message: str):
    with pytest.raises(RoseError, match=message):
        rose.parse(SPAN.replace(old, new))
