import { encode, OUTPUT_DELTA } from './frames.mjs';

/**
 * Bytes in one frame. Escaped, a control character takes six times as many, and the host limits
 * frames.
 */
const PART_BYTES = 1 << 18;

/**
 * One output stream of a program. The head is sent as it arrives; of the rest, the end is kept
 * until the program ends.
 */
export class OutputRelay {
  #stream;
  #send;
  #executionId = null;
  #headLeft = 0;
  /** The last three bytes of the head. */
  #headEnd = [];
  #tail = new Tail(0);
  #decoder = newDecoder();

  constructor(stream, send) {
    this.#stream = stream;
    this.#send = send;
  }

  /** Begins a program that can print `limit` bytes before output is left out. */
  start(executionId, limit) {
    const tailLimit = Math.floor(limit / 2);
    this.#executionId = executionId;
    this.#headLeft = limit - tailLimit;
    this.#headEnd = [];
    this.#tail = new Tail(tailLimit);
    this.#decoder = newDecoder();
  }

  /** Adds output of the program. */
  push(bytes) {
    const head = bytes.subarray(0, this.#headLeft);
    if (head.length > 0) {
      this.#headLeft -= head.length;
      this.#headEnd = [...this.#headEnd, ...head.subarray(-3)].slice(-3);
      this.#sendText(this.#decoder.decode(head, { stream: true }), 0);
    }
    if (head.length < bytes.length) this.#tail.push(bytes.subarray(head.length));
  }

  /** Ends the program, and sends the output that was kept. */
  finish() {
    let { bytes, omitted } = this.#tail.take();
    if (omitted > 0) {
      // A cut may have split a character. Its remaining bytes are dropped too.
      const start = countContinuationBytes(bytes);
      bytes = bytes.subarray(start);
      omitted += start + countUnfinishedBytes(this.#headEnd);
      this.#decoder = newDecoder();
    }
    for (let start = 0; start < bytes.length; start += PART_BYTES) {
      const part = bytes.subarray(start, start + PART_BYTES);
      this.#sendText(this.#decoder.decode(part, { stream: true }), omitted);
      omitted = 0;
    }
    this.#sendText(this.#decoder.decode(), omitted);
    this.start(null, 0);
  }

  #sendText(text, omittedBytes) {
    if (text === '' && omittedBytes === 0) return;
    this.#send(
      encode(OUTPUT_DELTA, {
        execution_id: this.#executionId,
        stream: this.#stream,
        text,
        omitted_bytes: omittedBytes,
      }),
    );
  }
}

/**
 * The last bytes of a stream, in a ring buffer: many small writes cost no more than one large one.
 */
class Tail {
  #limit;
  #ring = null;
  #end = 0;
  #size = 0;
  #omitted = 0;

  constructor(limit) {
    this.#limit = limit;
  }

  push(bytes) {
    this.#omitted += Math.max(0, this.#size + bytes.length - this.#limit);
    this.#size = Math.min(this.#limit, this.#size + bytes.length);
    if (this.#limit === 0) return;
    this.#ring ??= new Uint8Array(this.#limit);
    const kept = bytes.subarray(Math.max(0, bytes.length - this.#limit));
    const untilWrap = Math.min(kept.length, this.#limit - this.#end);
    this.#ring.set(kept.subarray(0, untilWrap), this.#end);
    this.#ring.set(kept.subarray(untilWrap), 0);
    this.#end = (this.#end + kept.length) % this.#limit;
  }

  take() {
    const bytes = new Uint8Array(this.#size);
    const start = this.#end - this.#size;
    if (start < 0) bytes.set(this.#ring.subarray(start + this.#limit), 0);
    bytes.set(this.#ring?.subarray(Math.max(0, start), this.#end) ?? [], Math.max(0, -start));
    return { bytes, omitted: this.#omitted };
  }
}

function newDecoder() {
  return new TextDecoder('utf-8', { ignoreBOM: true });
}

function countContinuationBytes(bytes) {
  let count = 0;
  while (count < 3 && (bytes[count] & 0xc0) === 0x80) count += 1;
  return count;
}

/** Returns how many bytes at the end belong to an incomplete character. */
function countUnfinishedBytes(bytes) {
  for (let count = 1; count <= bytes.length; count += 1) {
    const byte = bytes[bytes.length - count];
    if ((byte & 0xc0) === 0x80) continue;
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return size > count ? count : 0;
  }
  return 0;
}
