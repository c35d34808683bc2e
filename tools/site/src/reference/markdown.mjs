export const quoted = (value) => `\`${value}\``;

/** Escapes what VitePress would read as a tag or a template. */
export const text = (markdown) =>
  markdown
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '{&#123;')))
    .join('')
    .replaceAll(/\s*\n\s*/g, ' ');

export const list = (line, below = []) => [`- ${line}`, ...below.map((each) => `  ${each}`)];

const row = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

export const table = (head, rows) => [row(head), row(head.map(() => '---')), ...rows.map(row), ''];

export const fence = (language, title, code) => ['```' + language + (title && ` [${title}]`), code, '```', ''];

export const tabs = (blocks) => (blocks.length === 0 ? [] : ['::: code-group', '', ...blocks.flat(), ':::', '']);
