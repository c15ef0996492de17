// Has an import of a package by its own name lead to one version of it, as if that were the one installed.
let standIn;

export function initialize(data) {
  standIn = data;
}

export async function resolve(specifier, context, nextResolve) {
  const { name, alias, parentURL } = standIn;
  return specifier === name
    ? nextResolve(alias, { ...context, parentURL })
    : nextResolve(specifier, context);
}
