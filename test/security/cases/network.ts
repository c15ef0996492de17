import { programs, tests, type SecurityCase } from './security-case.ts';

export const NETWORK: readonly SecurityCase[] = [
  { case: 19, title: 'no interface but loopback', proofs: [...programs('network/19-interfaces')] },
  {
    case: 20,
    title: 'nothing answers, and at once',
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
  { case: 21, title: 'no AF_VSOCK', proofs: [...programs('network/21-vsock')] },
  {
    case: 22,
    title: 'no socket family but local ones',
    proofs: [...programs('network/22-families')],
  },
  {
    case: 23,
    title: 'no raw packets, no kernel cryptography',
    proofs: [...programs('network/23-raw')],
  },
  {
    case: 24,
    title: 'two sessions cannot meet',
    proofs: [
      ...programs('network/24-local-sockets', 'network/24-queue-files', 'network/24-shared-memory'),
    ],
  },
  {
    case: 25,
    title: 'no other network by accident',
    proofs: [
      ...tests('providers/docker/container-config.test.ts', 'has no network'),
      ...tests(
        'providers/docker/profile-check.test.ts',
        'a container that is as requested lacks nothing',
      ),
      { gap: 'there is no option for another network at all' },
    ],
  },
];
