import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { BUBBLEWRAP_OPTIONS } from '../../../src/providers/bubblewrap/interpreters/options.ts';
import { DOCKER_OPTIONS, dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { BUILD_IMAGE, buildImage } from '../../../src/providers/docker/image/build-image.ts';
import { PACKAGES } from '../../../src/providers/docker/image/packages.ts';
import {
  EMBEDDED_OPTIONS,
  embeddedProvider,
} from '../../../src/providers/embedded/embedded-provider.ts';
import { WHEEL } from '../../../src/providers/embedded/wheels.ts';
import {
  KUBERNETES_OPTIONS,
  kubernetesProvider,
} from '../../../src/providers/kubernetes/kubernetes-provider.ts';
import type { Target } from './target.ts';

/** As `TARGETS`, of the providers. */
export const PROVIDER_TARGETS: Readonly<Record<string, Target>> = {
  bubblewrapProvider: {
    names: BUBBLEWRAP_OPTIONS.names,
    page: 'sandboxes.md',
    call: (options) => bubblewrapProvider(options),
  },
  dockerProvider: {
    names: DOCKER_OPTIONS.names,
    page: 'sandboxes.md',
    call: (options) => dockerProvider(options),
  },
  packages: {
    names: PACKAGES.names,
    page: 'libraries.md',
    call: (packages) => dockerProvider({ packages }),
  },
  buildImage: {
    names: BUILD_IMAGE.names,
    page: 'libraries.md',
    base: { host: 'unix:///none' },
    call: async (options) => buildImage(options),
  },
  embeddedProvider: {
    names: EMBEDDED_OPTIONS.names,
    page: 'sandboxes.md',
    call: (options) => embeddedProvider(options),
  },
  kubernetesProvider: {
    names: KUBERNETES_OPTIONS.names,
    page: 'cluster.md',
    call: (options) => kubernetesProvider(options),
  },
  wheels: {
    names: WHEEL.names,
    page: 'libraries.md',
    base: { path: 'attrs-25.3.0-py3-none-any.whl' },
    call: (wheel) => embeddedProvider({ wheels: [wheel] }),
  },
};
