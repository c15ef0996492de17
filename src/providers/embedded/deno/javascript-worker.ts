import { readGuestScript } from '../../../sandbox/guests/guest-script.ts';
import type { GuestWorker } from '../boot-input.ts';

/** The guest for JavaScript and TypeScript, which runs in a worker of Deno. */
export async function javascriptWorker(): Promise<GuestWorker> {
  return { languages: ['typescript', 'javascript'], script: await readGuestScript('deno.mjs') };
}
