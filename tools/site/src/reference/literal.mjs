/** Writes JSON values in the notation of a language. */
const ts = {
  word: String,
  key: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : ts.string(name)),
  string: (text) =>
    text.includes("'") ? JSON.stringify(text) : `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')}'`,
  around: ['{ ', ' }'],
};
const python = {
  word: (value) => ({ true: 'True', false: 'False', null: 'None' })[value] ?? String(value),
  key: (name) => JSON.stringify(name),
  string: (text) => JSON.stringify(text),
  around: ['{', '}'],
};

const WIDTH = 80;

export const literal = { ts: (value) => write(value, ts, ''), python: (value) => write(value, python, '') };

function write(value, language, indent) {
  if (typeof value === 'string') return language.string(value);
  if (typeof value !== 'object' || value === null) return language.word(value);
  const inner = `${indent}${language === python ? '    ' : '  '}`;
  const parts = Array.isArray(value)
    ? value.map((each) => write(each, language, inner))
    : Object.entries(value).map(([name, each]) => `${language.key(name)}: ${write(each, language, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : language.around;
  const line = parts.length === 0 ? `${open}${close}`.replaceAll(' ', '') : `${open}${parts.join(', ')}${close}`;
  if (!line.includes('\n') && indent.length + line.length < WIDTH) return line;
  return [open.trim(), ...parts.map((part) => `${inner}${part},`), `${indent}${close.trim()}`].join('\n');
}
