// @ts-check
// Draws messages and events. All texts are set as text, never as HTML: they come from models and tools.

const LONGEST_RESULT = 300;

export class Drawing {
  #log;
  #onDecision;
  #pictureOf;
  /** @type {Map<string, HTMLElement>} By the ids of calls. */
  #calls = new Map();
  /** @type {Map<string, HTMLElement>} By the ids of requests for approval. */
  #approvals = new Map();
  /** @type {HTMLElement | undefined} Where the next piece of text belongs. */
  #answer;
  /** @type {HTMLElement | undefined} Where the next piece of output belongs. */
  #output;

  /**
   * @param {HTMLElement} log
   * @param {{ onDecision: (requestId: string, approved: boolean) => void, pictureOf: (id: string) => Promise<Blob> }} page
   */
  constructor(log, { onDecision, pictureOf }) {
    this.#log = log;
    this.#onDecision = onDecision;
    this.#pictureOf = pictureOf;
  }

  clear() {
    this.#log.replaceChildren();
    this.#calls.clear();
    this.#approvals.clear();
    this.#answer = undefined;
    this.#output = undefined;
  }

  /** @param {{ role: string, content: any[] }[]} messages */
  messages(messages) {
    for (const { role, content } of messages) {
      for (const block of content) this.#block(role, block);
    }
  }

  /** @param {any} event */
  event(event) {
    switch (event.type) {
      case 'turn-started':
        this.#answer = undefined;
        break;
      case 'text-delta':
        this.#answer ??= this.#add('div', 'answer');
        this.#answer.append(event.text);
        break;
      case 'program-started':
        this.#code(event.code);
        break;
      case 'output-delta':
        this.#output ??= this.#add('pre', 'output');
        this.#output.append(event.text);
        break;
      case 'tool-call-started':
        this.#calls.set(event.callId, this.#add('div', 'call', describe(event)));
        break;
      case 'tool-call-ended':
        this.#calls.get(event.callId)?.append(` → ${shortened(event.error ?? event.result)}`);
        break;
      case 'approval-requested':
        this.approval(event);
        break;
      case 'approval-decided':
        this.decided(event.requestId, event.decision);
        break;
      case 'program-ended':
        for (const id of event.pictures) this.#picture(id);
        if (event.status !== 'ok') this.#add('div', 'call', `The program ended: ${event.status}`);
        break;
      case 'failed':
        this.failure(event.message);
        break;
    }
    this.#log.scrollTop = this.#log.scrollHeight;
  }

  /** @param {string} text */
  said(text) {
    this.#add('div', 'user', text);
  }

  /** @param {string} text */
  failure(text) {
    this.#add('div', 'failure', text);
  }

  /** @param {any} request */
  approval(request) {
    const { requestId } = request;
    const box = this.#add('div', 'approval');
    const question = document.createElement('div');
    question.textContent = `${request.toolName}: ${request.reason}`;
    // All of it: who approves must not have to guess what was left out.
    const input = document.createElement('pre');
    input.textContent = JSON.stringify(request.arguments, undefined, 2);
    box.append(
      question,
      input,
      this.#button('Approve', requestId),
      this.#button('Reject', requestId),
    );
    this.#approvals.set(requestId, box);
  }

  /** After the run, nothing waits for a decision. */
  end() {
    for (const requestId of this.#approvals.keys()) this.decided(requestId, 'cancelled');
    this.#answer = undefined;
  }

  /**
   * Draws the decision, unless it is drawn already.
   * @param {string} requestId
   * @param {string} decision
   */
  decided(requestId, decision) {
    const box = this.#approvals.get(requestId);
    for (const button of box?.querySelectorAll('button') ?? []) button.remove();
    box?.append(decision);
    this.#approvals.delete(requestId);
  }

  /**
   * @param {'Approve' | 'Reject'} name
   * @param {string} requestId
   */
  #button(name, requestId) {
    const button = document.createElement('button');
    button.textContent = name;
    button.addEventListener('click', () => this.#onDecision(requestId, name === 'Approve'));
    return button;
  }

  /**
   * @param {string} role
   * @param {any} block
   */
  #block(role, block) {
    if (block.type === 'text') this.#add('div', role === 'user' ? 'user' : 'answer', block.text);
    if (block.type === 'tool-use') this.#code(block.input?.code ?? JSON.stringify(block.input));
    if (block.type !== 'tool-result') return;
    this.#add('pre', 'output', block.text);
    for (const id of block.pictures) this.#picture(id);
  }

  /**
   * Draws a picture that a program shows. An image element runs no scripts, whatever the bytes are.
   * @param {string} id
   */
  #picture(id) {
    const picture = /** @type {HTMLImageElement} */ (this.#add('img', 'picture'));
    picture.alt = 'A picture that the program shows';
    const draw = async () => {
      picture.src = URL.createObjectURL(await this.#pictureOf(id));
      await picture.decode();
      URL.revokeObjectURL(picture.src);
      this.#log.scrollTop = this.#log.scrollHeight;
    };
    draw().catch(() => 'its description is shown instead');
  }

  /** @param {string} code */
  #code(code) {
    this.#add('pre', 'code', code);
    this.#output = undefined;
  }

  /**
   * @param {string} tag
   * @param {string} className
   */
  #add(tag, className, text = '') {
    const element = document.createElement(tag);
    element.className = className;
    element.textContent = text;
    this.#log.append(element);
    return element;
  }
}

/** @param {{ toolName: string, arguments: unknown }} call */
function describe({ toolName, arguments: input }) {
  return `${toolName}(${shortened(JSON.stringify(input))})`;
}

/** @param {string} text */
function shortened(text) {
  return text.length > LONGEST_RESULT ? `${text.slice(0, LONGEST_RESULT)}…` : text;
}
