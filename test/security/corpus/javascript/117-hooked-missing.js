// Names of properties that objects have somewhere, and of options that nobody gives.
const options = `cachedData cachedDataProduced cachedDataRejected produceCachedData importModuleDynamically filename
  timeout displayErrors breakOnSigint contextName transfer transferables messageData item hostObjects forStorage once
  signal passive capture listeners callback detail ports source origin lastEventId cancelable target path root
  relatedTarget stream fatal ignoreBOM async next done return throw then toJSON prepareStackTrace cause inner link
  port data memory counts`;
const names = new Set(options.split(/\s+/));
for (const { prototype } of Object.values(Object.getOwnPropertyDescriptors(globalThis)).map(({ value }) => value ?? {})) {
  for (const name of prototype ? Object.getOwnPropertyNames(prototype) : []) names.add(name);
}
hookMissing(names);
console.log(await echo({ value: 1 }), names.size > 300);
globalThis.last = new Error('kept');
void 0;
