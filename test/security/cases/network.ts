import { programs, tests, type SecurityCase } from './security-case.ts';

export const NETWORK: readonly SecurityCase[] = [
  {
    case: 19,
    title: 'a sandbox has only the loopback interface',
    proofs: [...programs('network/19-interfaces')],
  },
  {
    case: 20,
    title: 'connection attempts fail, and at once',
    proofs: [
      ...programs(
        'network/20-connections',
        'network/20-host-port',
        'network/20-names',
        'network/20-requests',
      ),
      ...tests(
        'providers/embedded/isolation.test.ts',
        'has no permissions even if it finds a way to Deno',
      ),
    ],
  },
  { case: 21, title: 'AF_VSOCK is not available', proofs: [...programs('network/21-vsock')] },
  {
    case: 22,
    title: 'only local sockets are available',
    proofs: [...programs('network/22-families')],
  },
  {
    case: 23,
    title: 'raw packets and the kernel’s cryptography are not available',
    proofs: [...programs('network/23-raw')],
  },
  {
    case: 24,
    title: 'two sessions cannot communicate',
    proofs: [
      ...programs('network/24-local-sockets', 'network/24-queue-files', 'network/24-shared-memory'),
    ],
  },
  {
    case: 25,
    title: 'a sandbox cannot get another network by accident',
    proofs: [
      ...tests('providers/docker/container-config.test.ts', 'has no network'),
      ...tests(
        'providers/docker/profile-check.test.ts',
        'a container that is as requested lacks nothing',
      ),
      { gap: 'the library has no option for another network' },
    ],
  },
];
