import { expect, it } from 'vitest';
import { ReceivedCall } from '../../src/execution/received-call.ts';
import { DEFAULT_CALL_LIMITS } from '../../src/protocol/frames.ts';
import { ownLoopTurn } from '../../src/shared/async/event-loop-work.ts';

/** A call that waited, so that its arguments have to be parsed again. */
function waitingCall(callId: string, tenant: string): ReceivedCall {
  const body = { execution_id: '1', call_id: callId, tool_name: 'note', arguments: {} };
  const line = Buffer.from(`__PTC_TOOL_CALL__${JSON.stringify(body)}__PTC_END_CALL__`);
  const message = { kind: 'tool-call', ...body } as const;
  const call = new ReceivedCall(message, line, 1, DEFAULT_CALL_LIMITS, tenant);
  call.pack();
  return call;
}

it('calls that wait for the event loop are parsed by tenant in turn', async () => {
  const busy = ownLoopTurn();
  const parsed: string[] = [];
  await Promise.all(
    ['a1', 'a2', 'a3', 'b1'].map(async (callId) => {
      await waitingCall(callId, callId.slice(0, 1)).unpack();
      parsed.push(callId);
    }),
  );
  await busy;
  expect(parsed).toEqual(['a1', 'b1', 'a2', 'a3']);
});
