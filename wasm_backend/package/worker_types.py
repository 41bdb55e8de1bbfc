"""The TypeScript of what a package has besides calls: `remote`, maps with Workers, and `dispose`."""

from __future__ import annotations

from .calls import Extras

# the names that it declares or uses
_NAMES = {"workers": "AbortSignal Far FarMap FarOptions Maps MapOptions Remote remote", "dispose": ""}

# lib.esnext.disposable, for compilers that do not load it
_DISPOSABLE = """\
declare global {
  interface SymbolConstructor {
    readonly dispose: unique symbol;
  }
}
"""

_REMOTE = """\
/** What a call in a Worker may be told. */
export interface FarOptions {
  /** Stops the call at once. */
  readonly signal?: AbortSignal;
  /** Buffers of arguments that are moved to the Worker, and not copied: their arrays are empty then. */
  readonly transfer?: readonly any[];
}

/** A function in a Worker. */
export interface Far<F extends (...args: any) => any> {
  <T extends Float64Array | Float32Array>(
    ...args: [...args: Parameters<F>, options: FarOptions & { readonly out: T }]
  ): Promise<T>;
  (...args: [...args: Parameters<F>, options?: FarOptions]): Promise<ReturnType<F>>;
}

"""

_MAPS = """\
/** What a map with Workers may be told. */
export interface MapOptions<A> {
  readonly out?: A;
  /** Stops the map at once. */
  readonly signal?: AbortSignal;
  /** Hears how many rows are done, of how many. */
  readonly progress?: (done: number, total: number) => void;
}

/** A map: at once, or with so many Workers. */
export interface Maps<P extends any[], A> {
  (...args: [...args: P, options: MapOptions<A> & { readonly workers: number }]): Promise<A>;
  (...args: [...args: P, options?: { readonly out?: A }]): A;
}

/** A map in a Worker. */
export type FarMap<P extends any[], A> = (
  ...args: [...args: P, options?: MapOptions<A> & { readonly transfer?: readonly any[] }]
) => Promise<A>;

"""

_FUNCTIONS = """\
/** The functions in a Worker of their own. */
export type Remote = {
  readonly [K in keyof Functions as Functions[K] extends { readonly unchecked: any }
    ? K
    : never]: Functions[K] extends { readonly unchecked: infer F extends (...args: any) => any }
    ? Far<F> & { readonly unchecked: Far<F> }%s
    : never;
} & {
  /** Ends the Worker, and with it calls that were not answered. */
  terminate(): void;
  [Symbol.dispose](): void;
};

"""

_WITH_MAP = """ &
        (Functions[K] extends { readonly map: Maps<infer P extends any[], infer A> }
          ? { readonly map: FarMap<P, A> }
          : unknown)"""

_ENTRY = """\

/** Starts a Worker that has the functions; rejects where there are no Workers. */
export function remote(source?: Source | Promise<Source>): Promise<Remote>;
"""

_DISPOSE = """\
  /** Drops the memory of the functions, which can be called no more. */
  dispose(): void;
  [Symbol.dispose](): void;
"""


def names(extras: Extras) -> frozenset[str]:
    """The names that a struct cannot have then."""
    return frozenset([k for kind, held in _NAMES.items() if getattr(extras, kind) for k in held.split()])


def members(extras: Extras) -> str:
    """The members of `Functions` that are none of the module's."""
    return _DISPOSE * extras.dispose


def types(extras: Extras) -> str:
    """The types."""
    remote = f"{_REMOTE}{_MAPS * extras.maps}{_FUNCTIONS % (_WITH_MAP * extras.maps)}" * extras.workers
    return remote + f"{_DISPOSABLE}\n" * (extras.workers or extras.dispose)


def entry(extras: Extras) -> str:
    """The function `remote`."""
    return _ENTRY * extras.workers


def map_type(params: str, array: str) -> str:
    """The type of a map that can have Workers, of these parameters."""
    return f"Maps<[{params}], {array}>"
