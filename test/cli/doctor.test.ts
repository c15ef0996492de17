import { describe, expect, it, vi } from 'vitest';
import { runCli } from '../support/built-package.ts';

// The first sandbox of a machine has to be prepared: an image, or a snapshot of Python.
vi.setConfig({ testTimeout: 120_000 });

const NO_ENGINE = { DOCKER_HOST: 'unix:///nonexistent' };

describe('doctor', () => {
  it('runs a program in what works here, and says what auto takes', async () => {
    const { status, stdout } = await runCli(['doctor'], { env: NO_ENGINE });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Node\.js +\d+\.\d+\.\d+$/m);
    expect(stdout).toMatch(/^deno +\d+\.\d+\.\d+$/m);
    expect(stdout).toMatch(/^embedded +works {2}Deno .+ gave 42 in [\d.]+ m?s/m);
    expect(stdout).toMatch(/^docker +no .*no container engine answers/m);
    expect(stdout).toContain('Start Docker or Podman');
    expect(stdout).toContain('--sandbox auto takes embedded.');
  });
});
