/**
 * JavaScript for the sandbox: `show(value, maxCharacters)` formats any value as readable text, without characters
 * that cannot be stored. It never throws, whatever the value does (getters, proxies, `toString`, cycles), and does
 * little work for a large value. It is evaluated before the script, which may replace every global and every prototype
 * method.
 */
export const SHOW_VALUE = `(({ JSON, Array, Object, Map, Set, Date, Error, ArrayBuffer, String }, uncurry) => {
  const { stringify } = JSON;
  const { isArray, from } = Array;
  const { keys } = Object;
  const { isView } = ArrayBuffer;
  const { toISOString } = Date.prototype;
  const { fromCodePoint } = String;
  const [slice, codePointAt] = [String.prototype.slice, String.prototype.codePointAt].map(uncurry);
  const { join: joinOf, push: pushOf, includes: includesOf, pop: popOf } = Array.prototype;
  const [join, push, includes, pop] = [joinOf, pushOf, includesOf, popOf].map(uncurry);
  const isoOf = uncurry(toISOString);
  const MAX_DEPTH = 8;
  const cut = (text, max) => {
    let shown = '';
    for (let at = 0, left = max; at < text.length && left > 0; left--) {
      const code = codePointAt(text, at);
      at += code > 0xffff ? 2 : 1;
      shown += code === 0 || (code >= 0xd800 && code <= 0xdfff) ? '\\ufffd' : fromCodePoint(code);
    }
    return shown;
  };

  const kindOf = (value) => {
    try {
      return '[' + slice(value.constructor.name, 0, 64) + ']';
    } catch {
      return '[object]';
    }
  };
  const errorText = (error) => {
    const [name, message] = [String(error.name), String(error.message)];
    return message === '' ? name : name + ': ' + message;
  };

  const write = (value, state) => {
    if (state.left <= 0) return '…';
    const text = textOf(value, state);
    state.left -= text.length;
    return text;
  };
  const textOf = (value, state) => {
    try {
      if (typeof value === 'string') return stringify(slice(value, 0, state.left));
      if (typeof value === 'bigint') return String(value) + 'n';
      if (typeof value === 'function') return '[function ' + slice(String(value.name), 0, 64) + ']';
      if (typeof value !== 'object' || value === null) return String(value);
      if (value instanceof Error) return slice(errorText(value), 0, state.left);
      if (value instanceof Date) return stringify(isoOf(value));
      if (isView(value) || value instanceof ArrayBuffer) return kindOf(value);
      if (includes(state.within, value)) return '[circular]';
      if (state.within.length === MAX_DEPTH) return kindOf(value);
      push(state.within, value);
      try {
        return entriesOf(value, state);
      } finally {
        pop(state.within);
      }
    } catch {
      return kindOf(value);
    }
  };
  const entriesOf = (value, state) => {
    if (value instanceof Map) return 'Map ' + list(from(value), state);
    if (value instanceof Set) return 'Set ' + list(from(value), state);
    if (isArray(value)) return list(value, state);
    const parts = [];
    for (const key of keys(value)) {
      if (state.left <= 0) break;
      push(parts, stringify(slice(key, 0, state.left)) + ':' + write(valueAt(value, key), state));
    }
    return '{' + join(parts, ',') + '}';
  };
  const list = (values, state) => {
    const parts = [];
    for (let index = 0; index < values.length && state.left > 0; index++) push(parts, write(valueAt(values, index), state));
    return '[' + join(parts, ',') + ']';
  };
  const valueAt = (value, key) => {
    try {
      return value[key];
    } catch (error) {
      return error;
    }
  };

  return (value, max) => {
    try {
      return cut(typeof value === 'string' ? value : textOf(value, { left: 2 * max, within: [] }), max);
    } catch {
      return '[object]';
    }
  };
})(globalThis, (method) => Function.prototype.call.bind(method))`;
