import { availableParallelism } from 'node:os';
import { delimiter } from 'node:path';
import { DIRECTORY as AI_SDK_7 } from './test/ai-sdk/version-7/install.mjs';
import { directoriesOfPython } from './scripts/test/python.mjs';
import { LongestFirst } from './test/support/costs/longest-first.ts';
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';

/** The folders of test/ that the unit lane is made of. Those of the same name in src/ count for the coverage. */
const UNIT_FOLDERS =
  '{ai-sdk,audit,bench,calls,docs,execution,languages,models,openapi,orchestrator,protocol,sandbox,scripts,sessions,shared,testing,tools}';

/** In these folders, a file with such a name needs more than a unit test may have: see docs/testing.md. */
const UNIT_TESTS = `test/${UNIT_FOLDERS}/**/!(*.system).test.ts`;

/** Tests that only version 7 of the AI SDK passes. All others of their folder run with versions 6 and 7. */
const AI_SDK_7_TESTS = 'test/ai-sdk/version-7/**';

/** They need the conformance suite of MCP. */
const CONFORMANCE_TESTS = 'test/mcp/conformance/**';

/** They need a client and a server of MCP that others wrote. */
const MCP_CLIENT_TESTS = 'test/mcp/clients/**';

/** They need frameworks for agents. */
const FRAMEWORK_TESTS = 'test/examples/frameworks/**';

/** They need a Kubernetes cluster. Those that kill its servers start clusters of their own. */
const CLUSTER_TESTS = 'test/cluster/**';

/** System tests that need a process to themselves: they replace a module, or wait for a timer that a module starts once. */
const ALONE = [
  'test/languages/type-check-turns.system.test.ts',
  'test/languages/type-checker.system.test.ts',
  'test/providers/bubblewrap/moments.test.ts',
  'test/runner/python/guest/interrupts.test.ts',
  'test/sandbox/failed-reads.system.test.ts',
  'test/sessions/persistent-renewal.system.test.ts',
  'test/sessions/type-check.system.test.ts',
  'test/shared/held-name.system.test.ts',
];

/** Ends what hangs. How long a test takes on a busy machine is no finding: it can be ten times as long as usual. */
const TEST_TIMEOUT_MS = 900_000;
/** Ends what hangs as well, and shows what was looked at. */
const POLL_TIMEOUT_MS = 120_000;

const config: ViteUserConfig = defineConfig({
  test: {
    // Tests read the sources, but those of the guests as the scripts that are made of them.
    globalSetup: ['scripts/build-guests.mjs'],
    // `npm test -- --costs` measures what each file costs.
    setupFiles: process.env['SANDBOXED_PTC_TEST_COSTS'] ? ['test/support/costs/measure.ts'] : [],
    env: { PATH: [...directoriesOfPython(), process.env['PATH']].join(delimiter) },
    // What is made of the TypeScript files is kept for all lanes and for the next run.
    experimental: {
      fsModuleCache: true,
      fsModuleCachePath: 'node_modules/.cache/sandboxed-ptc/vitest',
    },
    sequence: { sequencer: LongestFirst },
    // In this order: why tests were skipped, the failures, the counts.
    reporters: ['./test/support/skipped-reporter.ts', 'default', './test/support/reporter.ts'],
    hideSkippedTests: true,
    // Most tests wait for other processes, so more files at a time than there are processors.
    maxWorkers: 2 * availableParallelism(),
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    expect: { poll: { timeout: POLL_TIMEOUT_MS } },
    // No test imports the runner, so `test:changed` cannot tell which tests it is part of.
    forceRerunTriggers: [...configDefaults.forceRerunTriggers, '**/runner/**'],
    coverage: {
      include: [`src/${UNIT_FOLDERS}/**/*.ts`],
      // These are tests themselves. The system tests run them in each sandbox.
      exclude: ['src/testing/groups/**'],
      reporter: ['text-summary'],
      // Half a point below what the unit lane reached in November 2026: raise them if it reaches more.
      thresholds: { lines: 93.2, branches: 88.1 },
    },
    // `isolate: false`: to start a process and to load everything again for each file takes a third of the time of the unit
    // tests, and a quarter of a second of each system test.
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [UNIT_TESTS],
          exclude: [AI_SDK_7_TESTS],
          isolate: false,
          // A test that asks for an engine is in the wrong lane, and shows it.
          env: { DOCKER_HOST: 'unix:///dev/null/no-engine-in-unit-tests' },
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          include: ['test/**/*.test.ts'],
          exclude: [
            UNIT_TESTS,
            AI_SDK_7_TESTS,
            CONFORMANCE_TESTS,
            MCP_CLIENT_TESTS,
            FRAMEWORK_TESTS,
            CLUSTER_TESTS,
            'test/package/**',
            ...ALONE,
          ],
          isolate: false,
        },
      },
      {
        extends: true,
        // The sources import `ai`, which is version 6 in the other projects.
        resolve: {
          alias: [
            { find: /^ai$/, replacement: `${AI_SDK_7}/node_modules/ai/dist/index.js` },
            { find: /^ai\/test$/, replacement: `${AI_SDK_7}/node_modules/ai/dist/test/index.js` },
          ],
        },
        test: {
          name: 'system-ai-sdk-7',
          include: ['test/ai-sdk/**/*.test.ts'],
          globalSetup: ['test/ai-sdk/version-7/install.mjs'],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'system-mcp-conformance',
          include: ['test/mcp/conformance/**/*.test.ts'],
          globalSetup: ['test/mcp/conformance/install.mjs'],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'system-mcp-clients',
          include: ['test/mcp/clients/**/*.test.ts'],
          globalSetup: ['test/mcp/clients/install.mjs'],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'system-frameworks',
          include: ['test/examples/frameworks/**/*.test.ts'],
          globalSetup: ['test/examples/frameworks/install.mjs'],
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'system-alone', include: ALONE },
      },
      {
        extends: true,
        test: {
          name: 'cluster',
          include: [`${CLUSTER_TESTS}/*.test.ts`],
          globalSetup: ['test/cluster/cluster.ts'],
          isolate: false,
          // Each look is a request to the API server, and what is waited for takes seconds.
          expect: { poll: { timeout: POLL_TIMEOUT_MS, interval: 200 } },
        },
      },
      {
        extends: true,
        test: {
          name: 'package',
          include: ['test/package/**/*.test.ts'],
          globalSetup: ['test/package/project.ts'],
        },
      },
    ],
  },
});

export default config;
