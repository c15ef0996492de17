import { expect, it } from 'vitest';
import { countingModel } from '../context/counting-model.ts';
import { compactions, converseWith, long } from '../context/reading-conversation.ts';
import { says } from '../support.ts';
import { file } from './sandbox-cases.ts';

it('a conversation that was summed up still names its files, also after the next summary', async () => {
  const model = countingModel(20_000, () => says(long('a')));
  const { run, events, orchestrator } = converseWith(model);
  await orchestrator.run([file('sales.csv', 'region\nnorth'), file('x.bin', '12')]);
  for (let at = 0; at < 14; at += 1) await run(`Question ${at}: ${long('q')}`);
  expect(compactions(events).length).toBeGreaterThan(1);
  const first = JSON.stringify(orchestrator.messages[0]);
  expect(first).not.toContain('It begins with');
  const named =
    'Programs find these files of the user: "/tmp/inputs/sales.csv" (12 bytes, text/csv), "/tmp/inputs/x.bin" (2 bytes, application/octet-stream)';
  expect(first).toContain(`SUMMARY\\n${JSON.stringify(named).slice(1, -1)}`);
  expect(first.split('/tmp/inputs/sales.csv')).toHaveLength(2);
});

it('what the model is told of a file counts for the length of a conversation', async () => {
  const lines = `${'x'.repeat(200)}\n`.repeat(10);
  const tokens = async (text: string): Promise<number> => {
    const model = countingModel(200_000, () => says('Read.'));
    const { orchestrator } = converseWith(model);
    const { usage } = await orchestrator.run([file('a.txt', text)]);
    return usage.inputTokens;
  };
  expect((await tokens(lines)) - (await tokens('x'))).toBeGreaterThan(500);
});
