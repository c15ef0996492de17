import { toUSVString } from 'node:util';
import { PtcError } from '../shared/errors.ts';

/** What a program printed to one stream, up to the limit. */
export class CapturedOutput {
  readonly #limitBytes: number;
  #parts: string[] = [];
  #length = 0;
  #truncated = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get truncated(): boolean {
    return this.#truncated;
  }

  get text(): string {
    return this.#parts.join('');
  }

  /**
   * Adds printed text, with a line before it that says how much was left out. Returns both. Only
   * the length is checked: a byte becomes at most one UTF-16 unit, so a length within the limit is
   * enough. The lines about omitted output do not count.
   * @throws PtcError `PROTOCOL_VIOLATION` if the runner exceeded its limit, or left something out a
   * second time.
   */
  add(text: string, omittedBytes: number): string {
    this.#length += text.length;
    if (this.#length > this.#limitBytes || (this.#truncated && omittedBytes > 0)) {
      throw new PtcError(
        'PROTOCOL_VIOLATION',
        `The sandbox sent more output than its limit of ${this.#limitBytes} bytes (maxOutputBytes).`,
        { details: { limit: 'maxOutputBytes', value: this.#limitBytes } },
      );
    }
    // Half a surrogate pair would make a text that no model service accepts.
    const whole = toUSVString(text);
    const added = omittedBytes === 0 ? whole : omissionLine(omittedBytes) + whole;
    this.#truncated ||= omittedBytes > 0;
    this.#parts.push(added);
    return added;
  }

  /**
   * Adds a line from the host below the output, as far as the limit allows. Returns what it added.
   */
  addLine(text: string): string {
    const start = this.#parts.at(-1)?.endsWith('\n') === false ? '\n' : '';
    const room = Math.max(0, this.#limitBytes - this.#length - start.length - 1);
    const omittedBytes = Buffer.byteLength(text.slice(room));
    const end = omittedBytes === 0 ? '\n' : `${omissionLine(omittedBytes)}\n`;
    const added = start + toUSVString(text.slice(0, room)) + end;
    this.#length += added.length;
    this.#truncated ||= omittedBytes > 0;
    this.#parts.push(added);
    return added;
  }
}

function omissionLine(bytes: number): string {
  return `\n[… ${bytes.toLocaleString('en')} bytes of output left out here …]\n`;
}
