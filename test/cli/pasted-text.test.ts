import { array, assert, constantFrom, nat, oneof, property, string, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PastedText } from '../../src/cli/terminal/pasted-text.ts';

const paste = (text: string): string => `\u001b[200~${text}\u001b[201~`;

/** What the line editor gets, if the terminal sends this in pieces. */
function takeAll(pasted: PastedText, pieces: readonly string[]): string {
  return pieces.map((piece) => pasted.take(piece)).join('') + pasted.settle();
}

describe('text that is pasted into a terminal', () => {
  it('is a mark if it has several lines, which stands for just that text', () => {
    const pasted = new PastedText();
    const typed = pasted.take(`Explain ${paste('a\rb\r\n\tc\n')} and ${paste('d\r\re')}`);
    expect(typed).toBe('Explain [paste 1, 3 lines] and [paste 2, 3 lines]');
    expect(pasted.expand(typed)).toBe('Explain a\nb\n\tc and d\n\ne');
  });

  it('is itself if it is a short line, without the line end that would send it', () => {
    const pasted = new PastedText();
    expect(pasted.take(paste('你好 👩‍💻\r'))).toBe('你好 👩‍💻');
    expect(pasted.take(paste('\r\r'))).toBe('');
  });

  it('is a mark if it is long, or has characters that would control the terminal', () => {
    const pasted = new PastedText();
    const long = 'x'.repeat(1234);
    const typed = pasted.take(paste(long) + paste('\u001b[31mred'));
    expect(typed).toBe('[paste 1, 1,234 characters][paste 2, 8 characters]');
    expect(pasted.expand(typed)).toBe(`${long}\u001b[31mred`);
  });

  it('is found wherever the input is cut', () => {
    const typed = string({ unit: 'grapheme' }).map((text) => text.replaceAll('\u001b', ''));
    const part = oneof(typed, typed.map(paste), constantFrom('\u001b', '\u001b[A', '\u001b[20~'));
    assert(
      property(array(tuple(part, nat())), (parts) => {
        const whole = parts.map(([text]) => text).join('');
        const cuts = [...parts.map(([, cut]) => cut % (whole.length + 1)), whole.length];
        cuts.sort((left, right) => left - right);
        const pieces = cuts.map((cut, index) => whole.slice(cuts[index - 1] ?? 0, cut));
        expect(takeAll(new PastedText(), pieces)).toBe(takeAll(new PastedText(), [whole]));
      }),
    );
  });

  it('has marks of its own only: what looks like one is left as it is', () => {
    const pasted = new PastedText();
    pasted.take(paste('[paste 1, 2 lines]\nb'));
    expect(pasted.expand('[paste 1, 2 lines] [paste 2, 2 lines]')).toBe(
      '[paste 1, 2 lines]\nb [paste 2, 2 lines]',
    );
  });

  it('is given up at Ctrl-C if its end does not come', () => {
    const pasted = new PastedText();
    expect(pasted.take('\u001b[200~lost')).toBe('');
    expect(pasted.take('\u0003')).toBe('\u0003');
    expect(pasted.take('typed')).toBe('typed');
  });
});
