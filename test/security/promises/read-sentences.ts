/**
 * The sentences of a text in Markdown, in their order: those of paragraphs and of the items of lists, with a single space
 * for each line break. Headings, blocks of code and the bold titles of paragraphs are left out.
 */
export function sentencesOf(markdown: string): string[] {
  const prose = markdown
    .replaceAll(/^```[^]*?^```$/gm, '')
    .replaceAll(/^#+ .*$/gm, '')
    // An item of a list begins a block of its own.
    .replaceAll(/^- /gm, '\n');
  return prose
    .split(/\n\s*\n/)
    .map((block) => block.replaceAll(/\s+/g, ' ').trim())
    .map((block) => block.replace(/^\*\*[^*]+[.:]\*\*\s*/, ''))
    .flatMap((block) => block.split(/(?<=[.!?])\s+(?=[A-Z`[])/))
    .filter((sentence) => sentence !== '');
}
