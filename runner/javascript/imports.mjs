/** Static imports as expressions that a function can run. */

/**
 * @typedef {object} ImportBinding
 * @property {string} imported The module's name for it.
 * @property {string | null} local The program's name for it; null to see only that the module has it.
 * @property {boolean} required Whether a module that lacks it is an error.
 */

/**
 * The expression that loads a module and gives the bindings their values.
 *
 * @param {object} declaration An import, or an export that names a module.
 * @param {readonly ImportBinding[]} bindings
 * @param {string | null} namespace The name that takes the whole module.
 */
export function importExpression(declaration, bindings, namespace) {
  const loaded = checked(load(declaration), declaration.source.value, bindings);
  const whole = namespace === null ? loaded : `${namespace}=${loaded}`;
  const parts = bindings
    .filter(({ local }) => local !== null)
    .map(({ imported, local }) => `${JSON.stringify(imported)}:${local}`);
  return parts.length === 0 ? whole : `({${parts.join(',')}}=${whole})`;
}

/** The expression for what `require` gives: what a module of CommonJS exports is its default. */
export function requireExpression(source) {
  return `(m=>"default"in m?m.default:m)(await import(${JSON.stringify(source)}))`;
}

/** The name of an import or export specifier, which may be a string. */
export function specifierName(node) {
  return node.type === 'Literal' ? node.value : node.name;
}

function load({ source, attributes = [] }) {
  const pairs = attributes.map(({ key, value }) => [key.name ?? key.value, value.value]);
  const options = pairs.length === 0 ? '' : `,{with:${JSON.stringify(Object.fromEntries(pairs))}}`;
  return `await import(${JSON.stringify(source.value)}${options})`;
}

// To read a name that a module lacks gives undefined, where a static import is refused.
function checked(loaded, source, bindings) {
  const required = bindings.filter((binding) => binding.required).map(({ imported }) => imported);
  if (required.length === 0) {
    return loaded;
  }
  const message = `The requested module '${source}' does not provide an export named '`;
  return (
    `(m=>{for(const n of ${JSON.stringify(required)})` +
    `if(!(n in m))throw new SyntaxError(${JSON.stringify(message)}+n+"'");return m})(${loaded})`
  );
}
