/** A sentence of a page. */
export interface Sentence {
  readonly text: string;
  /** The heading above it, without its marks. */
  readonly section: string;
}

/**
 * The sentences of a page in Markdown, in their order: those of paragraphs and of the items of lists, with a single space
 * for each line break. Each row of a table is a sentence. Heads of tables, blocks of code and the bold titles of paragraphs
 * are left out.
 */
export function sentencesOf(markdown: string): Sentence[] {
  const prose = markdown
    .replaceAll(/^```[^]*?^```$/gm, '')
    .replaceAll(/^\|.*\n\|[-|: ]+$/gm, '')
    // An item of a list and a row of a table begin a block of their own.
    .replaceAll(/^(?:- |(?=\|))/gm, '\n');
  let section = '';
  return prose.split(/\n\s*\n/).flatMap((part) => {
    const block = part.replaceAll(/\s+/g, ' ').trim();
    const [, heading] = /^#+ (.*)$/.exec(block) ?? [];
    section = heading ?? section;
    if (heading !== undefined || block === '') return [];
    return block
      .replace(/^\*\*[^*]+[.:]\*\*\s*/, '')
      .split(/(?<=[.!?])\s+(?=[A-Z`[])/)
      .filter((text) => text !== '')
      .map((text) => ({ text, section }));
  });
}
