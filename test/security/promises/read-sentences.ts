/**
 * The sentences of a text in Markdown, in their order: those of paragraphs and of the items of lists, with a single space
 * for each line break. Each row of a table is a sentence. Headings, heads of tables, blocks of code and the bold titles
 * of paragraphs are left out.
 */
export function sentencesOf(markdown: string): string[] {
  const prose = markdown
    .replaceAll(/^```[^]*?^```$/gm, '')
    .replaceAll(/^#+ .*$/gm, '')
    .replaceAll(/^\|.*\n\|[-|: ]+$/gm, '')
    // An item of a list and a row of a table begin a block of their own.
    .replaceAll(/^(?:- |(?=\|))/gm, '\n');
  return prose
    .split(/\n\s*\n/)
    .map((block) => block.replaceAll(/\s+/g, ' ').trim())
    .map((block) => block.replace(/^\*\*[^*]+[.:]\*\*\s*/, ''))
    .flatMap((block) => block.split(/(?<=[.!?])\s+(?=[A-Z`[])/))
    .filter((sentence) => sentence !== '');
}
