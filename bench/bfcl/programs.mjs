// The reference calls of a turn as a program that prints each result as one line of JSON.

/** The program of each language. */
export const PROGRAMS = {
  python: (calls) => ['import json', ...calls.map(pythonCall)].join('\n'),
  typescript: (calls) => calls.map(typescriptCall).join('\n'),
  bash: (calls) => calls.map(bashCall).join('\n'),
};

function pythonCall({ name, arguments: given }) {
  const named = Object.entries(given).map(([key, value]) => `${key}=${toPython(value)}`);
  return `print(json.dumps(await bfcl.${name}(${named.join(', ')})))`;
}

function toPython(value) {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(toPython).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([key, one]) => `${JSON.stringify(key)}: ${toPython(one)}`,
  );
  return `{${fields.join(', ')}}`;
}

function typescriptCall({ name, arguments: given }) {
  const named = Object.entries(given).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  const argument = named.length > 0 ? `{ ${named.join(', ')} }` : '';
  return `console.log(JSON.stringify(await bfcl.${name}(${argument})));`;
}

/** Lists and objects are not flags, so a call that has one gets its arguments as JSON. */
function bashCall({ name, arguments: given }) {
  const words = Object.values(given).some((value) => typeof value === 'object')
    ? [quoted(JSON.stringify(given))]
    : Object.entries(given).map(([key, value]) => `--${key} ${quoted(String(value))}`);
  return [`bfcl_${name}`, ...words].join(' ');
}

function quoted(text) {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
