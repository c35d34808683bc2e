/** What turns an asynchronous module into a synchronous one. */
const REPLACEMENTS = [
  [/\basync (?=def|with|for)/g, ''],
  [/\bawait /g, ''],
  [/\bAwaitable\[((?:[^[\]]|\[[^\]]*\])*)\]/g, '$1'],
  [/^from collections\.abc import Awaitable, /gm, 'from collections.abc import '],
  [/\bAsyncGenerator\[(\w+), None\]/g, 'Generator[$1, None, None]'],
  [/\bAsync(?=Client|Iterator|Generator|ExitStack)/g, ''],
  [/\benter_async_context\b/g, 'enter_context'],
  [/\b__a(?=enter__|exit__)/g, '__'],
  [/\ba(?=close\b|closing\b|read\b|iter_bytes\b|iter_lines\b)/g, ''],
  [/\basynccontextmanager\b/g, 'contextmanager'],
  [/\b_runtime_async\b/g, '_runtime_sync'],
  [/\b[Aa]synchronous/g, (word) => (word[0] === 'A' ? 'Synchronous' : 'synchronous')],
];

export const toSync = (source) =>
  REPLACEMENTS.reduce((text, [pattern, replacement]) => text.replaceAll(pattern, replacement), source);
