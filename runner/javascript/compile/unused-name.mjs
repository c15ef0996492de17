/** Names for what the compiler adds to a program. */

/** Returns `name`, made longer until the text does not contain it. */
export function unusedName(code, name) {
  if (!code.includes(name)) return name;
  const used = Array.from(code.matchAll(new RegExp(`${name}\\$*`, 'g')), ([found]) => found.length);
  return name.padEnd(
    used.reduce((most, length) => Math.max(most, length + 1), name.length),
    '$',
  );
}
