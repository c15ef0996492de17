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
import { ChatUser } from './chat-user.ts';

const NO_BROWSER = CHROMIUM === undefined ? 'Chromium is not installed' : undefined;

async function ready(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate('document.querySelector("option") !== null')).toBe(true);
}

/** Waits until the page is ready, and writes a message as a person does. */
async function send(page: Page, text: string): Promise<void> {
  await ready(page);
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

  it('shows the decision also if it was opened while the order waited', async () => {
    const database = await newDatabase();
    const chat = await startChat(database, await startService());
    const first = await openPage(chat.address);
    await send(first, `${RUN}print(await order(product="desk", quantity=1))`);
    await expect.poll(() => first.text()).toContain('Approve');
    const later = await openPage(await first.evaluate('location.href'));
    await expect.poll(() => later.text()).toContain('Approve');
    await later.click('Approve');
    await expect.poll(() => later.text()).toContain('approved');
    expect(await later.text()).not.toContain('Approve');
    await expect.poll(() => first.evaluate('send.disabled')).toBe(false);
    expect((await first.text()).match(/approved/g)).toHaveLength(1);
  });

  it('keeps a message that the server refuses, and sends one only once', async () => {
    const chat = await startChat(await newDatabase(), await startService());
    const page = await openPage(chat.address);
    await ready(page);
    const choose =
      'const list = new DataTransfer(); list.items.add(new File(["x"], "a.txt")); files.files = list.files;';
    await page.evaluate(`{${choose}}`);
    await send(page, 'x'.repeat(10_001));
    await expect.poll(() => page.text()).toContain('The limit is 10000.');
    const kept = '[document.querySelector("textarea").value.length, files.files.length]';
    expect(await page.evaluate(kept)).toEqual([10_001, 1]);
    await expect.poll(() => page.evaluate('send.disabled')).toBe(false);

    await page.evaluate(
      'document.querySelector("textarea").value = "Keep it."; send.click(); send.click()',
    );
    await expect.poll(() => page.text()).toContain('You said: Keep it.');
    await expect.poll(() => page.evaluate('send.disabled')).toBe(false);
    expect(await page.evaluate(kept)).toEqual([0, 0]);
    const anna = new ChatUser(chat, 'anna');
    expect((await anna.get('/conversations')).body).toHaveLength(1);
  });

  it('draws only the conversation that was chosen last', async () => {
    const chat = await startChat(await newDatabase(), await startService());
    const anna = new ChatUser(chat, 'anna');
    const [slow, fast] = [await anna.start(), await anna.start()];
    await (await anna.say(slow, 'I am slow.')).until('run-ended');
    await (await anna.say(fast, 'I am fast.')).until('run-ended');
    const page = await openPage(chat.address);
    await ready(page);
    // Holds the answer for the first conversation until `release` is called.
    await page.evaluate(`{
      const original = fetch;
      window.fetch = async (path, options) => {
        const response = await original(path, options);
        if (path !== ${JSON.stringify(slow)}) return response;
        window.isHeld = true;
        await new Promise((resolve) => (window.release = resolve));
        const body = await response.json();
        response.json = async () => {
          setTimeout(() => (window.isRead = true));
          return body;
        };
        return response;
      };
    }`);
    const open = async (path: string): Promise<void> =>
      page.evaluate(`void (location.hash = ${JSON.stringify(path.split('/').at(-1))})`);
    await open(slow);
    await expect.poll(() => page.evaluate('window.isHeld')).toBe(true);
    await open(fast);
    await expect.poll(() => page.text()).toContain('You said: I am fast.');
    await page.evaluate('window.release()');
    await expect.poll(() => page.evaluate('window.isRead')).toBe(true);
    expect(await page.text()).not.toContain('I am slow.');
  });
});
