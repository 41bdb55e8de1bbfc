// Runs `python -m benchmarks.stages` in Pyodide: node pyodide.mjs ROOT SIZE...
import { loadPyodide } from "pyodide";

const [root, ...sizes] = process.argv.slice(2);
const python = await loadPyodide();
python.mountNodeFS("/root", root);
python.globals.set("sizes", python.toPy(sizes));
python.runPython(`
import sys

sys.path.insert(0, "/root")
sys.argv = ["stages", *sizes]
sys.dont_write_bytecode = True
from benchmarks.stages import main

main()
`);
