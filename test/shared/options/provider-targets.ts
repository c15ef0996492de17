import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { WHEEL } from '../../../src/providers/embedded/wheels.ts';
import { BUBBLEWRAP_OPTIONS } from '../../../src/providers/bubblewrap/interpreters/options.ts';
import { DOCKER_OPTIONS, dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import {
  EMBEDDED_OPTIONS,
  embeddedProvider,
} from '../../../src/providers/embedded/embedded-provider.ts';
import type { Target } from './target.ts';

/** Those of the providers of this package. */
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
  embeddedProvider: {
    names: EMBEDDED_OPTIONS.names,
    page: 'sandboxes.md',
    call: (options) => embeddedProvider(options),
  },
  'embeddedProvider.wheels[0]': {
    names: WHEEL.names,
    page: 'libraries.md',
    base: { path: 'attrs-25.3.0-py3-none-any.whl' },
    call: (wheel) => embeddedProvider({ wheels: [wheel] }),
  },
};
