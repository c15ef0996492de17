import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import {
  ANNOTATIONS,
  LABELS,
  POD_VERSION,
  templateSpec,
} from '../../../../src/providers/kubernetes/pod/pod-template.ts';
import { readRunnerFiles } from '../../../../src/providers/kubernetes/pod/runner-files.ts';
import { relayCommand, sandboxPod } from '../../../../src/providers/kubernetes/pod/sandbox-pod.ts';
import { helloPacket } from '../../../../src/providers/kubernetes/streams/packets.ts';
import { readGuests } from '../../../../src/sandbox/guests/guests.ts';
import { DEFAULT_LIMITS } from '../../../../src/sandbox/sandbox.ts';
import { GOLDEN_FRAMES_DIRECTORY } from '../../../support/golden-frames.ts';

/** What pods of each version understand. */
const FINGERPRINTS: Readonly<Record<string, string>> = {
  '3': 'a9a2205dcd5bafd1',
};

const ROOT = new URL('../../../../', import.meta.url);

/** The code of a file, which its comments do not change. */
async function codeOf(path: string): Promise<readonly string[]> {
  const text = await readFile(fileURLToPath(new URL(path, ROOT)), 'utf8');
  const code = text.replace(/^"""[^]*?"""$/gm, '').replace(/\/\*\*[^]*?\*\//g, '');
  const lines = code.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !/^(#|\/\/|""")/.test(line));
}

/** What a host starts in the containers of a pod, and what it needs there. */
async function startOf(persistent?: { readonly idleLimitMs: number }): Promise<unknown> {
  const files = { ...(await readRunnerFiles()), bootstrap: 'BOOTSTRAP', hash: 'HASH' };
  const metadata = { name: 'a', uid: 'b', resourceVersion: '1', creationTimestamp: '' };
  const spec = templateSpec({ image: 'image', files, limits: DEFAULT_LIMITS });
  const languages = ['python', 'typescript', 'javascript', 'bash'] as const;
  return [
    relayCommand(spec),
    sandboxPod(
      { sessionId: 'c', languages, limits: DEFAULT_LIMITS, ...(persistent && { persistent }) },
      {
        name: 'd',
        template: { metadata, template: { spec } },
        guests: await readGuests(),
        users: { sidecar: 1, code: 2 },
        owner: 'e',
      },
    ),
  ];
}

it('the version of pods changes with what hosts and pods say to each other', async () => {
  const frames = (await readdir(GOLDEN_FRAMES_DIRECTORY)).sort();
  const said = await Promise.all([
    ...frames.map(async (name) => [name, await readFile(GOLDEN_FRAMES_DIRECTORY + name, 'utf8')]),
    codeOf('runner/sidecar/packets.py'),
    codeOf('src/providers/kubernetes/walls/facts.ts'),
    startOf(),
    startOf({ idleLimitMs: 1000 }),
  ]);
  const hello = helloPacket(1, 2).toString('hex');
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([said, hello, LABELS, ANNOTATIONS]))
    .digest('hex')
    .slice(0, 16);
  expect(
    fingerprint,
    'What hosts and pods say to each other has changed. If hosts and pods of the version before understand it, put the new fingerprint in the place of that of POD_VERSION in this test. If not, raise POD_VERSION, and add its fingerprint.',
  ).toBe(FINGERPRINTS[POD_VERSION]);
});
