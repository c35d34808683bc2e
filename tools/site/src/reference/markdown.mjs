/** Pieces of Markdown. */

export const quoted = (value) => `\`${value}\``;

/** A description, which is Markdown, without what VitePress would take for a tag or a template. */
export const text = (markdown) =>
  markdown
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '{&#123;')))
    .join('')
    .replaceAll(/\s*\n\s*/g, ' ');

/** A line of a list with those below it. */
export const list = (line, below = []) => [`- ${line}`, ...below.map((each) => `  ${each}`)];

export const fence = (language, title, code) => ['```' + `${language} [${title}]`, code, '```', ''];

export const tabs = (blocks) => (blocks.length === 0 ? [] : ['::: code-group', '', ...blocks.flat(), ':::', '']);
