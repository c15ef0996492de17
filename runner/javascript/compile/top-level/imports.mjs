/** Static imports as expressions that a function can run. */

/**
 * @typedef {object} ImportBinding
 * @property {string} imported The module's name for it.
 * @property {string | null} local The program's name for it; null to check only that the module
 * exports it.
 * @property {boolean} required Whether it is an error if the module does not export it.
 */

/**
 * Returns the expression that loads a module and assigns the bindings.
 *
 * @param {object} declaration An import, or an export from a module.
 * @param {readonly ImportBinding[]} bindings
 * @param {string | null} namespace The name for the whole module.
 */
export function importExpression(declaration, bindings, namespace) {
  const loaded = checked(load(declaration), declaration.source.value, bindings);
  const whole = namespace === null ? loaded : `${namespace}=${loaded}`;
  const parts = bindings
    .filter(({ local }) => local !== null)
    .map(({ imported, local }) => `${JSON.stringify(imported)}:${local}`);
  return parts.length === 0 ? whole : `({${parts.join(',')}}=${whole})`;
}

/**
 * Returns the expression for `require`: the default export, which is what a CommonJS module
 * exports.
 */
export function requireExpression(source) {
  return `(m=>"default"in m?m.default:m)(await import(${JSON.stringify(source)}))`;
}

/** Returns the name of an import or export specifier, which can be a string. */
export function specifierName(node) {
  return node.type === 'Literal' ? node.value : node.name;
}

function load({ source, attributes = [] }) {
  const pairs = attributes.map(({ key, value }) => [key.name ?? key.value, value.value]);
  const options = pairs.length === 0 ? '' : `,{with:${JSON.stringify(Object.fromEntries(pairs))}}`;
  return `await import(${JSON.stringify(source.value)}${options})`;
}

// Reading a name that a module lacks gives undefined, but a static import of it is an error.
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
