// @ts-check
// The files that a person chooses or drops, and those that the conversation has.

/** The server refuses more in one message (files.mjs). */
const MOST_BYTES = 5_000_000;

export class Uploads {
  #input;
  #list;
  #onDownload;

  /**
   * @param {HTMLInputElement} input
   * @param {HTMLElement} list
   * @param {(name: string) => void} onDownload
   */
  constructor(input, list, onDownload) {
    this.#input = input;
    this.#list = list;
    this.#onDownload = onDownload;
    document.addEventListener('dragover', (event) => event.preventDefault());
    document.addEventListener('drop', (event) => {
      // Otherwise the browser would open the file instead of this page.
      event.preventDefault();
      if (event.dataTransfer !== null) this.#input.files = event.dataTransfer.files;
    });
  }

  /** The chosen files as the server takes them. */
  async read() {
    const files = [...(this.#input.files ?? [])];
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    if (bytes > MOST_BYTES) {
      throw new Error(`The files have ${bytes} bytes. The limit is ${MOST_BYTES}.`);
    }
    return Promise.all(
      files.map(async (file) => ({ name: file.name, data: await base64Of(file) })),
    );
  }

  /** Chooses none, after the server has taken them. */
  clear() {
    this.#input.value = '';
  }

  /** @param {{ name: string, sizeBytes: number }[]} files */
  show(files) {
    this.#list.replaceChildren(
      ...files.map(({ name, sizeBytes }) => {
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = `${name} (${sizeBytes} bytes)`;
        button.addEventListener('click', () => this.#onDownload(name));
        return button;
      }),
    );
  }
}

/**
 * Saves bytes as a file. The browser does not open it.
 * @param {string} name
 * @param {Blob} blob
 */
export function save(name, blob) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/**
 * @param {File} file
 * @returns {Promise<string>}
 */
async function base64Of(file) {
  const reader = new FileReader();
  await new Promise((resolve, reject) => {
    reader.addEventListener('load', resolve);
    reader.addEventListener('error', () => reject(reader.error));
    reader.readAsDataURL(file);
  });
  const url = /** @type {string} */ (reader.result);
  return url.slice(url.indexOf(',') + 1);
}
