import { existsSync } from 'node:fs';
import { describe } from 'vitest';
import { HELM } from '../../../cluster/chart/install.mjs';
import { describeChart } from '../../../cluster/chart/rendering.ts';
import { skippedFor } from '../../../support/skipped.ts';

const NO_HELM = 'Helm is not in the cache; the tests with a cluster install it';

describe('without a cluster', skippedFor(existsSync(HELM) ? undefined : NO_HELM), () => {
  describeChart();
});
