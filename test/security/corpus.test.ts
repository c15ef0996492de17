import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bubblewrapProvider } from '../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { LABELS } from '../../src/providers/docker/container-config.ts';
import { dockerProvider } from '../../src/providers/docker/docker-provider.ts';
import { decodeOwner } from '../../src/providers/docker/owner.ts';
import { embeddedProvider } from '../../src/providers/embedded/embedded-provider.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { isAlive } from '../providers/embedded/support.ts';
import { describeWithBubblewrap } from '../support/bubblewrap.ts';
import { describeWithEngine } from '../support/engine.ts';
import { CorpusBench, type Target } from './corpus-bench.ts';
import { corpusPaths, expectedIn, readCorpusCase } from './corpus-case.ts';

const corpus = corpusPaths().map((path) => readCorpusCase(path));
const languages = [...new Set(corpus.map(({ language }) => language))];

describeWithEngine('hostile programs in containers', (docker) => {
  describeCorpus({
    place: 'docker',
    create: () => dockerProvider(),
    listSandboxes: async () => {
      const containers = await docker.listContainers({
        all: true,
        filters: { label: [LABELS.owner] },
      });
      return containers
        .filter(({ Labels }) => decodeOwner(Labels[LABELS.owner])?.processId === process.pid)
        .map(({ Id }) => Id);
    },
  });
});

describeWithBubblewrap('hostile programs in bubblewrap', () => {
  describeCorpus({
    place: 'bubblewrap',
    create: () => bubblewrapProvider(),
    listSandboxes: async ({ created }) => livingOf(created),
  });
});

describe('hostile programs in the embedded engine', () => {
  describeCorpus({
    place: 'embedded',
    create: () => embeddedProvider(),
    listSandboxes: async ({ created }) => livingOf(created),
  });
});

/** Of sandboxes whose ids are those of processes, those that are there. */
async function livingOf(created: ReadonlyMap<string, Sandbox>): Promise<string[]> {
  const ids = [...created.values()].map(({ id }) => id);
  const alive = await Promise.all(ids.map(async (id) => isAlive(id)));
  return ids.filter((_, index) => alive[index]);
}

function describeCorpus(target: Target): void {
  // Each in sandboxes that have no other.
  describe.each(languages)('in %s', (language) => {
    const programs = corpus
      .filter((hostile) => hostile.language === language)
      .map((hostile) => ({
        hostile: expectedIn(target.place, hostile),
        gap: hostile.gaps?.[target.place],
      }));
    describe.skipIf(programs.every(({ gap }) => gap !== undefined))(target.place, () => {
      let bench: CorpusBench;
      beforeAll(async () => {
        bench = new CorpusBench(target, language);
        await bench.start();
      });
      afterAll(async () => bench.close());

      for (const { hostile, gap } of programs) {
        const note = gap === undefined ? '' : ` [gap: ${gap}]`;
        it(`${hostile.path}: ${hostile.title}${note}`, async (context) => {
          // Its reason stands in the title, and the reporter prints it.
          context.skip(gap !== undefined, gap);
          expect.hasAssertions();
          await bench.attack(hostile);
          await bench.expectHealth();
        }, 60_000);
      }
    });
  });
}
