// The fuzzed code: everything that reads a sandbox's bytes, from an engine's attach stream to
// messages.

import assert from 'node:assert/strict';
import { Writable } from 'node:stream';

/**
 * Calls with more bytes are refused. The limit is small for every second input, so that this
 * happens.
 */
const LIMITS = [1_000_000, 100];

/**
 * Creates the function that checks one input.
 * @param {object} product - `StreamTransport`, `StreamDemultiplexer` and `PtcError`, built or as
 *   source.
 * @returns An async function that throws if the code does what it never may, whatever the bytes
 *   are.
 */
export function makeJudge({ StreamTransport, StreamDemultiplexer, PtcError }) {
  /** Reads the payload in these parts. @returns What a listener gets. */
  async function read({ isAttachStream, stream, limit }, pieces) {
    const messages = [];
    const ends = [];
    const transport = new StreamTransport({ stdin: new Writable(), destroy() {} });
    const closed = new Promise((resolve) => {
      const listener = {
        message: (message) => messages.push(message),
        closed: (error) => resolve(ends.push(error)),
      };
      transport.listen(listener, { bytes: limit, values: 20_000 });
    });
    const demultiplexer = new StreamDemultiplexer((name, bytes) => transport.receive(name, bytes));
    try {
      for (const piece of pieces) {
        if (isAttachStream) demultiplexer.push(piece);
        else transport.receive(stream, piece);
      }
    } catch (error) {
      transport.end(error);
    }
    // Reading them all may take several turns of the event loop.
    transport.end(undefined);
    await closed;
    assert.ok(ends.length <= 1, 'it ended twice');
    const [end] = ends;
    if (end !== undefined && !PtcError.isInstance(end)) throw end;
    const diagnostics = transport.diagnostics();
    assert.ok(diagnostics.length <= 4096, 'too many bytes are kept for diagnostics');
    for (const message of messages) {
      if (message.kind === 'tool-call') expectBare(message);
    }
    // As text, because a key `__proto__` would be lost in a comparison of objects.
    return { messages: JSON.stringify(messages), end: end?.code, diagnostics };
  }

  return async (input) => {
    const { settings, step, payload } = parseInput(input);
    const pieces = [];
    for (let place = 0; place < payload.length; place += step) {
      pieces.push(payload.subarray(place, place + step));
    }
    const whole = await read(settings, [payload]);
    assert.deepEqual(
      await read(settings, pieces),
      whole,
      'the result depends on where the bytes are cut',
    );
    assert.equal({}.polluted, undefined, 'a prototype was changed');
  };
}

/** The first byte determines how the rest is read, the second where it is cut. */
function parseInput(input) {
  const [how = 0, cut = 0] = input;
  return {
    settings: {
      stream: how & 1 ? 'stderr' : 'stdout',
      isAttachStream: (how & 2) !== 0,
      limit: LIMITS[(how >> 2) & 1],
    },
    step: 1 + (cut % 64),
    payload: input.subarray(2),
  };
}

/** A call's arguments have no prototype, and no key `__proto__`. */
function expectBare({ arguments: args, refusal }) {
  if (refusal !== undefined) return;
  const visit = (value) => {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) {
      assert.equal(Object.getPrototypeOf(value), null, 'arguments have a prototype');
      assert.ok(!Object.keys(value).includes('__proto__'), 'arguments name a prototype');
    }
    Object.values(value).forEach(visit);
  };
  visit(args);
}
