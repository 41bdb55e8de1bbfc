"""The files of a web package: loaders in JavaScript, TypeScript declarations, README, HTML page, source map.

Read `files.py` first: `package_files` puts the files of a package together. Each of the others makes some of them:
`javascript.py` the entry points, `core.js` and `worker.js`, with `calls.py` for the functions, `accessors.py` for what
writes and reads values, and `maps.py` for batches; `typescript.py` the declarations, with `worker_types.py` for those
of Workers, `manifest.py` the `package.json`, `readme.py` the README, `html.py` the page that contains everything,
`source_map.py` the lines of Python. `samples.py` has the sample arguments of the README and the page; `metadata.py`
says which files of a directory are as Rose wrote them, and `write.py` writes files into a directory, all or none.

The terms: an *entry point* is a file that a page imports (`index.js`, `workerd.js`, `inline.js`); the
*runtime* is the JavaScript of `wasm_backend/js`, of which `core.js` has what its functions use; the *host
functions* (`@opaque`) are supplied by the page.

Contract: the same module gives the same bytes of every file, without a time or a path in them.
"""
