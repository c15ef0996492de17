import { toUSVString } from 'node:util';
import { PtcError } from '../shared/errors.ts';

/** What one stream of a run printed, as far as it is kept. */
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
   * Adds printed text, after a line that says how much was left out before it, and gives both.
   * @throws PtcError `PROTOCOL_VIOLATION` where the runner did not keep to its limit, or leaves something
   * out for a second time: the lines about it do not count. A byte gives at most one UTF-16 unit, so a
   * length within the limit is all that has to be seen to.
   */
  add(text: string, omittedBytes: number): string {
    this.#length += text.length;
    if (this.#length > this.#limitBytes || (this.#truncated && omittedBytes > 0)) {
      throw new PtcError(
        'PROTOCOL_VIOLATION',
        `The sandbox sent more output than its limit of ${this.#limitBytes} bytes.`,
        { details: { limit: 'outputLimitBytes', value: this.#limitBytes } },
      );
    }
    // Half a surrogate pair would make a text that no service takes.
    const whole = toUSVString(text);
    const added = omittedBytes === 0 ? whole : omissionLine(omittedBytes) + whole;
    this.#truncated ||= omittedBytes > 0;
    this.#parts.push(added);
    return added;
  }

  /** Adds a line of the host's own below what was printed, as far as the limit goes, and gives what it added. */
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
