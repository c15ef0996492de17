import type { LanguageName } from '../../../src/protocol/messages.ts';
import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { describeWithEngine } from '../../support/engine.ts';
import { describeSuite, type Choice } from '../run-suite.ts';

interface DockerSubject {
  readonly language: LanguageName;
  /** @default the sandbox image of this package */
  readonly image?: string;
}

/** Tests of a language in containers. */
export function describeInDocker({ language, image }: DockerSubject, choice?: Choice): void {
  describeWithEngine('containers', (docker) => {
    describeSuite(
      {
        name: image === undefined ? 'docker' : `docker with ${image}`,
        language,
        provider: () => dockerProvider({ ...(image !== undefined && { image }) }),
        kill: async ({ id }) => {
          await docker.getContainer(id).kill();
        },
      },
      choice,
    );
  });
}
