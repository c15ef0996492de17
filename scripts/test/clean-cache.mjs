// `npm run clean:cache`: removes what tests and the embedded sandbox keep for their next start.
import { rm } from 'node:fs/promises';
import { CACHE } from './cache.mjs';

await rm(CACHE, { recursive: true, force: true });
console.log(`${CACHE} is removed`);
