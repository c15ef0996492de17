import { dockerProvider } from '../../../src/providers/docker/docker-provider.ts';
import { itGivesFiles } from '../../orchestrator/files/sandbox-cases.ts';
import { describeWithEngine } from '../../support/engine.ts';

describeWithEngine('files of a run in a container', () => {
  itGivesFiles(() => dockerProvider());
});
