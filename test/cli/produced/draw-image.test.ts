import { describe, expect, it } from 'vitest';
import { drawImage } from '../../../src/cli/produced/draw-image.ts';
import { PIXEL } from '../../support/images.ts';

const pixel = { mediaType: 'image/png', data: PIXEL, widthPixels: 1, heightPixels: 1 } as const;
const size = Buffer.from(PIXEL, 'base64').length;

describe('an image is drawn', () => {
  it('by kitty, in parts of 4096 characters [host/drawn-images]', async () => {
    const graphics = { kitty: true, iterm2: true, sixel: true };
    expect(await drawImage(pixel, graphics, 80)).toBe(
      `\u001b_Ga=T,f=100,q=2,c=1,m=0;${PIXEL}\u001b\\\n`,
    );
    const data = 'A'.repeat(10_000);
    const parts = (await drawImage({ ...pixel, data, widthPixels: 5000 }, graphics, 80))?.split(
      '\u001b\\',
    );
    expect(parts?.map((part) => part.replaceAll(/A+/g, ({ length }) => `${length}`))).toEqual([
      '\u001b_Ga=T,f=100,q=2,c=80,m=1;4096',
      '\u001b_Gm=1;4096',
      '\u001b_Gm=0;1808',
      '\n',
    ]);
  });

  it('by iTerm2, and by terminals with both if it is not PNG [host/drawn-images]', async () => {
    const jpeg = { ...pixel, mediaType: 'image/jpeg', widthPixels: 95 } as const;
    const drawn = `\u001b]1337;File=inline=1;size=${size};width=10:${PIXEL}\u0007\n`;
    expect(await drawImage(jpeg, { kitty: true, iterm2: true, sixel: true }, 80)).toBe(drawn);
    expect(await drawImage(jpeg, { kitty: false, iterm2: true, sixel: true }, 80)).toBe(drawn);
  });

  it('by no other terminal', async () => {
    expect(
      await drawImage(pixel, { kitty: false, iterm2: false, sixel: false }, 80),
    ).toBeUndefined();
    const gif = { ...pixel, mediaType: 'image/gif' } as const;
    expect(await drawImage(gif, { kitty: true, iterm2: false, sixel: false }, 80)).toBeUndefined();
  });
});
