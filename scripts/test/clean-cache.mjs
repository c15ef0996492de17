// `npm run clean:cache`: removes what tests and the embedded sandbox keep for their next start.
import { rm } from 'node:fs/promises';
import { CACHES } from './cache.mjs';

for (const cache of CACHES) {
  await rm(cache, { recursive: true, force: true });
  console.log(`${cache} is removed`);
}
