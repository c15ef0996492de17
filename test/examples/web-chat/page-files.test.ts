import { describe, expect, it } from 'vitest';
import { CHROMIUM, type Page, useBrowser } from '../../support/browser.ts';
import { PIXEL } from '../../support/images.ts';
import { skippedFor } from '../../support/skipped.ts';
import { newDatabase, RUN, startChat, startService } from './chat-server.ts';

const NO_BROWSER = CHROMIUM === undefined ? 'Chromium is not installed' : undefined;

const EVIL = '<svg xmlns="http://www.w3.org/2000/svg" onload="window.evil = true"></svg>';

async function ready(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate('document.querySelector("option") !== null')).toBe(true);
}

async function send(page: Page, text: string): Promise<void> {
  await page.evaluate(`document.querySelector('textarea').value = ${JSON.stringify(text)}`);
  await page.click('Send');
}

/** Makes a list of files as a person gives one to the page. */
function chosen(files: Readonly<Record<string, string>>): string {
  const added = Object.entries(files).map(
    ([name, text]) =>
      `list.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}))`,
  );
  return `const list = new DataTransfer(); ${added.join('; ')};`;
}

describe('files on the page in a browser', skippedFor(NO_BROWSER), () => {
  const openPage = useBrowser();

  it('are chosen or dropped, reach programs, and can be downloaded, but never run', async () => {
    const chat = await startChat(await newDatabase(), await startService());
    const page = await openPage(chat.address);
    await ready(page);
    await page.evaluate(`{${chosen({ 'a.csv': 'chosen' })} files.files = list.files}`);
    await send(page, `${RUN}print(open("/tmp/inputs/a.csv").read())`);
    await expect.poll(() => page.text()).toContain('a.csv (6 bytes)');
    expect(await page.text()).toContain('chosen');
    const drop = `document.dispatchEvent(new DragEvent('drop', { dataTransfer: list, cancelable: true }))`;
    const isOpened = await page.evaluate(`{${chosen({ 'evil.svg': EVIL })} ${drop}}`);
    // The browser does not open the file instead of the page.
    expect(isOpened).toBe(false);
    await send(page, 'Keep it.');
    const button = `evil.svg (${EVIL.length} bytes)`;
    await expect.poll(() => page.text()).toContain(button);
    await page.evaluate(
      `window.saved = []; HTMLAnchorElement.prototype.click = function () { saved.push([this.download, this.href.slice(0, 5)]) }`,
    );
    await page.click(button);
    await expect.poll(() => page.evaluate('window.saved')).toEqual([['evil.svg', 'blob:']]);
    expect(await page.evaluate('window.evil')).toBeUndefined();
  });

  it('are refused before they are read if they are too large', async () => {
    const chat = await startChat(await newDatabase(), await startService());
    const page = await openPage(chat.address);
    await ready(page);
    await page.evaluate(
      `{const list = new DataTransfer(); list.items.add(new File([new Uint8Array(5000001)], 'a')); files.files = list.files}`,
    );
    await send(page, 'Hello.');
    await expect.poll(() => page.text()).toContain('The limit is 5000000.');
  });

  it('are drawn if programs show them, at once and when the page is opened again', async () => {
    const chat = await startChat(await newDatabase(), await startService());
    const page = await openPage(chat.address);
    await ready(page);
    await send(page, `${RUN}import base64\nshow(base64.b64decode("${PIXEL}"))`);
    const width = 'document.querySelector("img.picture")?.naturalWidth';
    await expect.poll(() => page.evaluate(width)).toBe(1);
    await expect.poll(() => page.evaluate('send.disabled')).toBe(false);
    const again = await openPage(await page.evaluate('location.href'));
    await expect.poll(() => again.evaluate(width)).toBe(1);
  });
});
