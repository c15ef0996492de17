import { contractTests, tests, type SecurityCase } from './security-case.ts';

export const LIFECYCLE: readonly SecurityCase[] = [
  {
    case: 91,
    title: 'no sandbox outlives a killed host',
    proofs: [
      ...tests(
        'providers/docker/lifecycle.test.ts',
        'does not outlive its host, though its program ignores signals and never ends',
      ),
      ...tests(
        'providers/docker/orphans.test.ts',
        'removes a sandbox that does not react to the death of its host',
      ),
      ...tests(
        'providers/bubblewrap/lifecycle.test.ts',
        'does not outlive its host, though its program ignores signals and never ends',
        'does not outlive its host, even if its supervisor cannot react',
      ),
      ...tests(
        'providers/embedded/embedded-provider.test.ts',
        'does not outlive its host, though its program never ends',
      ),
    ],
  },
  {
    case: 92,
    title: 'a host that is asked to end ends in time',
    proofs: [
      ...tests(
        'sessions/close.test.ts',
        'cancels the run under way, refuses those that wait, and returns though the sandbox does not end',
      ),
      ...tests(
        'cli/interruption.test.ts',
        'leaves no container behind',
        'is waited out where it comes twice',
      ),
    ],
  },
  {
    case: 93,
    title: 'a host can die at any step of a start',
    proofs: [
      ...tests(
        'providers/docker/orphans.test.ts',
        'removes a sandbox whose host was killed before it started it',
      ),
      ...tests(
        'sessions/sandbox-executor.test.ts',
        'that is closed while a sandbox starts leaves none behind',
      ),
      ...tests(
        'security/chaos.test.ts',
        'settles every promise and leaves nothing, ${TIMES} times',
      ),
    ],
  },
  {
    case: 94,
    title: 'an engine that is gone or does not respond is a typed error',
    proofs: [
      ...tests(
        'providers/docker/lifecycle.test.ts',
        'that goes away is reported by its sandboxes, which can still be closed',
        'that is stuck keeps no sandbox from being closed, nor the process alive',
        'that answers nothing is unavailable after three seconds',
      ),
      {
        gap: 'a restart of the engine needs root and a separate engine, so only npm run chaos -- --restarts 10 tests it',
      },
    ],
  },
  {
    case: 95,
    title: 'a sandbox ended from outside ends its calls',
    proofs: [
      ...contractTests(
        'any-language/ends.ts',
        'a sandbox that is killed while a program runs is lost, and the signal of its tool fires',
        'a sandbox that is killed between programs is a lost session, not a hanging one',
      ),
      ...tests(
        'providers/docker/lifecycle.test.ts',
        'that was killed is reported as lost, with its exit status',
      ),
    ],
  },
  {
    case: 96,
    title: 'a flooding sandbox is killed at once',
    proofs: [
      ...tests(
        'providers/docker/lifecycle.test.ts',
        'is closed while its program floods the host with output',
      ),
    ],
  },
  {
    case: 97,
    title: 'a failed creation leaves nothing',
    proofs: [
      ...tests(
        'providers/docker/image.test.ts',
        'is looked for again if it was removed after its first use',
        'is reported as unavailable, with what was tried, if it is missing and cannot be pulled',
      ),
      ...tests(
        'providers/docker/docker-provider.test.ts',
        'leaves no container after a sandbox was closed, once or more often',
        'starts no sandbox on a runtime that the engine does not know',
      ),
      { gap: 'nobody has tried an engine whose disk is full when it creates a sandbox' },
    ],
  },
  {
    case: 98,
    title: 'a sweep touches nobody else’s live sandbox',
    proofs: [
      ...tests(
        'providers/docker/orphans.test.ts',
        'touches no sandbox of a live host, be it running, paused or not started yet',
        'removes no sandbox whose owner it cannot judge',
      ),
    ],
  },
];
