// @ts-check
/** A form for each function of a package: its parameters are filled in, and its result is shown. */

/** The value of an input, as JavaScript. @param {any} input */
const read = (input) => {
  if (input.type == "checkbox") return input.checked;
  if (input.type == "number") return input.value == "" ? undefined : input.valueAsNumber;
  try {
    return JSON.parse(input.value);
  } catch (error) {
    throw new Error(`${input.name} is not written as JSON: ${/** @type {Error} */ (error).message}`);
  }
};

/** A result as text: typed arrays as arrays, numbers in full. @param {any} x @param {string} indent @returns {string} */
const shown = (x, indent = "") => {
  if (x === undefined) return "nothing";
  if (typeof x != "object") return Object.is(x, -0) ? "-0" : String(x);
  const inner = indent + "  ";
  const array = Array.isArray(x) || ArrayBuffer.isView(x);
  const items = array
    ? Array.from(/** @type {any} */ (x), (y) => shown(y, inner))
    : Object.entries(x).map(([k, y]) => `${k}: ${shown(y, inner)}`);
  const [open, close] = array ? "[]" : "{}";
  const line = items.join(", ");
  if (line.length + indent.length < 70 && !line.includes("\n")) return array ? `[${line}]` : `{ ${line} }`;
  return `${open}\n${items.map((y) => inner + y).join(",\n")}\n${indent}${close}`;
};

/** Make the forms work. @param {Record<string, (...args: any[]) => any>} functions */
export const fill = (functions) => {
  for (const form of document.forms) {
    const output = /** @type {HTMLOutputElement} */ (form.querySelector("output"));
    const inputs = [...form.querySelectorAll("input, textarea")];
    const evaluate = () => {
      try {
        output.value = shown(functions[form.dataset.function ?? ""](...inputs.map(read)));
        output.className = "";
      } catch (error) {
        output.value = String(error);
        output.className = "wrong";
      }
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      evaluate();
    });
    form.addEventListener("input", evaluate);
    evaluate();
  }
};
