export const quoted = (value) => `\`${value}\``;

/** Escapes what VitePress would read as a tag or a template. */
export const text = (markdown) =>
  markdown
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '{&#123;')))
    .join('')
    .replaceAll(/\s*\n\s*/g, ' ');

export const list = (line, below = []) => [`- ${line}`, ...below.map((each) => `  ${each}`)];

export const fence = (language, title, code) => ['```' + `${language} [${title}]`, code, '```', ''];

export const tabs = (blocks) => (blocks.length === 0 ? [] : ['::: code-group', '', ...blocks.flat(), ':::', '']);
