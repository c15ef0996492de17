// Deno gives its scripts properties by assignment: these are asked for while the next program is made one.
globalThis.gained = [];
for (const name of ['cachedData', 'cachedDataProduced', 'cachedDataRejected']) {
  Object.defineProperty(Object.prototype, name, {
    configurable: true,
    get: () => undefined,
    set() {
      gained.push(this.constructor?.name);
    },
  });
}
