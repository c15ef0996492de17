import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clusterTests, clusterVariables, whyNoCluster } from '../../scripts/test/cluster.mjs';
import { NO_ROOT, skippedFor } from '../support/skipped.ts';

const OTHER = { SANDBOXED_PTC_TEST_KUBECONFIG: '/home/me/.kube/config' };
const STARTED = { ...OTHER, SANDBOXED_PTC_TEST_RESTRICTED_KUBECONFIG: '/other' };

/** The environment of a user who has not built the servers. */
function withoutServers(): NodeJS.ProcessEnv {
  const directory = mkdtempSync(join(tmpdir(), 'cluster-cache-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const { CI: _ci, ...env } = process.env;
  return { ...env, XDG_CACHE_HOME: directory };
}

describe('npm test', () => {
  it('includes the tests with a cluster that a variable names, but none that kill its servers', () => {
    expect(whyNoCluster(OTHER)).toBeUndefined();
    const tests = ['test/cluster/contracts/', 'test/cluster/corpus/'];
    expect(clusterTests(OTHER)).toEqual(['--project', 'cluster', ...tests]);
  });

  it('includes all of them with a cluster of the script', () => {
    const projects = ['--project', 'cluster'];
    expect(clusterTests(STARTED)).toEqual(projects);
    expect(clusterTests({})).toEqual(projects);
  });

  it('gives each run a cluster in its own directory, unless one was started', () => {
    const own = { SANDBOXED_PTC_CLUSTER_DIRECTORY: '/tmp/run/cluster' };
    expect(clusterVariables('/tmp/run', {})).toEqual(own);
    expect(clusterVariables('/tmp/run', STARTED)).toEqual({});
    expect(clusterVariables('/tmp/run', { SANDBOXED_PTC_CLUSTER_DIRECTORY: '/mine' })).toEqual({});
  });

  it('says what builds the servers, if they are not built', skippedFor(NO_ROOT), () => {
    expect(whyNoCluster(withoutServers())).toMatch(
      /`npm run test:cluster` builds them|can only be built on Debian 12/,
    );
  });
});
