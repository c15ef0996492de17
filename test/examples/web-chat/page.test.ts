import { describe, expect, it } from 'vitest';
import { CHROMIUM, type Page, useBrowser } from '../../support/browser.ts';
import { skippedFor } from '../../support/skipped.ts';
import {
  newDatabase,
  ordersIn,
  RUN,
  startChat,
  startService,
  startSupplier,
} from './chat-server.ts';

const NO_BROWSER = CHROMIUM === undefined ? 'Chromium is not installed' : undefined;

/** Waits until the page is ready, and writes a message as a person does. */
async function send(page: Page, text: string): Promise<void> {
  await expect.poll(() => page.evaluate('document.querySelector("option") !== null')).toBe(true);
  await page.evaluate(`document.querySelector('textarea').value = ${JSON.stringify(text)}`);
  await page.click('Send');
}

describe('the page in a browser', skippedFor(NO_BROWSER), () => {
  const openPage = useBrowser();

  it('draws text, code, calls and output, asks for approval, and shows all of it again', async () => {
    const database = await newDatabase();
    const chat = await startChat(database, await startService());
    const page = await openPage(chat.address);
    // What is long is shown as well, because it may be what a person would not approve.
    const input = `{"product": "desk", "quantity": 1, "note": "x" * 5000 + "THE END"}`;
    const code = `print("<b>bold</b>")\nprint(await order(${input}))`;
    await send(page, RUN + code);
    await expect.poll(() => page.text()).toContain('Approve');
    const asked = await page.text();
    expect(asked).toContain('print("<b>bold</b>")');
    expect(asked).toMatch(/order: it costs money\s*\{\s*"product": "desk",/);
    expect(asked).toContain('THE END"');

    await page.click('Approve');
    await expect.poll(() => page.text()).toContain("{'ordered': 'desk', 'quantity': 1}");
    await expect.poll(() => page.text()).toMatch(/THE END"\s*\}\s*approved/);
    await expect.poll(() => page.evaluate('send.disabled')).toBe(false);
    expect(ordersIn(database)).toHaveLength(1);

    const again = await openPage(await page.evaluate('location.href'));
    await expect.poll(() => again.text()).toContain("{'ordered': 'desk', 'quantity': 1}");
    // What programs print is text and never HTML.
    expect(await again.text()).toContain('<b>bold</b>');
    expect(await page.evaluate('document.querySelector("b")')).toBeNull();
  });

  it('stops the program if its reader says so', async () => {
    const supplier = await startSupplier();
    const environment = { SUPPLIER_URL: supplier.address };
    const chat = await startChat(await newDatabase(), await startService(), environment);
    const page = await openPage(chat.address);
    await send(page, `${RUN}await delivery_days(product="lamp")`);
    await supplier.asked;
    await page.click('Stop');
    await supplier.clientGone;
    await expect.poll(() => page.text()).toContain('Stopped.');
  });

  it('says what went wrong', async () => {
    const chat = await startChat(await newDatabase(), await startService());
    const page = await openPage(chat.address);
    await send(page, 'x'.repeat(10_001));
    await expect.poll(() => page.text()).toContain('The limit is 10000.');
  });
});
