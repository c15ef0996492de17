import { availableParallelism } from 'node:os';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  test: {
    reporters: ['default', './test/support/reporter.ts'],
    // Most tests wait for other processes: two files at a time even where there are only two processors.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Ends what hangs. How long a test takes on a busy machine is no finding.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'source',
          include: ['test/**/*.test.ts'],
          exclude: ['test/package/**'],
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
