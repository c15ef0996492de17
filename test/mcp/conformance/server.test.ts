import { beforeAll, describe, expect, it, vi } from 'vitest';
import { mcpServer } from '../../../src/mcp/server/mcp-server.ts';
import { useBench } from '../../support/bench.ts';
import { skippedFor } from '../../support/skipped.ts';
import { conformanceTools, POLICY } from './server.ts';
import { SERVER_RESULTS } from './server-results.ts';
import { NO_SUITE, REVISIONS, runSuite, type ScenarioResult } from './suite.ts';

vi.setConfig({ hookTimeout: 600_000 });

describe.each(REVISIONS)(
  'a server for clients of the revision %s',
  skippedFor(NO_SUITE),
  (revision) => {
    const bench = useBench();
    const expected = SERVER_RESULTS[revision];
    let results: ReadonlyMap<string, ScenarioResult>;

    beforeAll(async () => {
      const tools = conformanceTools();
      await using server = mcpServer({ executor: bench.executor, tools, policy: POLICY });
      const { url } = await server.listen({ port: 0 });
      results = await runSuite('server', revision, ['--url', url]);
    });

    it('is tested with all scenarios', () => {
      expect([...results.keys()].toSorted()).toEqual(Object.keys(expected).toSorted());
    });

    it.each(Object.entries(expected))('passes %s, as far as is known', (scenario, failures) => {
      expect(results.get(scenario)).toMatchObject({ failed: Object.keys(failures).toSorted() });
    });
  },
);
