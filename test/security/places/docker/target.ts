import { LABELS } from '../../../../src/providers/docker/container/container-config.ts';
import { dockerProvider } from '../../../../src/providers/docker/docker-provider.ts';
import { decodeOwner } from '../../../../src/sandbox/ownership/owner.ts';
import { describeWithEngine } from '../../../support/engine.ts';
import { type CorpusPart, describeCorpus } from '../../corpus-suite.ts';

/** Runs hostile programs in containers. */
export function describeInDocker(part: CorpusPart): void {
  describeWithEngine('hostile programs in containers', (docker) => {
    describeCorpus(
      {
        place: 'docker',
        pool: 1,
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
      },
      part,
    );
  });
}
