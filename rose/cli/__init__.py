"""The command line, `rose`: see `rose --help`.

Read `commands` first: `compile`, `run`, `ir`, `check` and `ops`. `programs` finds and loads the functions of the user's
file, and reports errors; `certificate` checks the derivatives that `rose compile` ships; `graph` draws, for
`rose ir`. `inspect`, `serve`, `new` and `doctor` are a command each; `answers` is what `serve` sends, and
`vite-plugin-rose.js` the plugin of the apps that `new` makes.

Contract. Results go to stdout, narration and progress to stderr. Exit codes: 0 fine, 1 the user's program is wrong,
2 the command is, 3 a derivative is wrong, 4 a package is too large. A failed run leaves no half-written package.
"""
