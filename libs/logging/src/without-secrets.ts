/** Names of fields that hold secrets, in lower case. */
const SECRET_NAMES = new Set([
  'password',
  'secret',
  '_secret',
  'clientsecret',
  'client_secret',
  'token',
  'access_token',
  'refresh_token',
  'id_token',
  'authorization',
  'cookie',
  'set-cookie',
  'code_verifier',
]);
const MAX_DEPTH = 5;

/**
 * The same value with secrets in plain objects and arrays redacted. Copies only what it changes: every request writes a
 * log line, and hardly any holds a secret.
 */
export function withoutSecrets(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return changed(value, depth) ?? value;
  return isPlainObject(value) ? (changed(value, depth) ?? value) : value;
}

function changed(container: Record<string, unknown> | unknown[], depth: number): unknown {
  let copy: Record<string, unknown> | undefined;
  const entries = container as Record<string, unknown>;
  for (const name in entries) {
    const before = entries[name];
    const after = SECRET_NAMES.has(name.toLowerCase()) ? '[Redacted]' : withoutSecrets(before, depth + 1);
    if (after === before) continue;
    copy ??= (Array.isArray(container) ? [...container] : { ...container }) as Record<string, unknown>;
    copy[name] = after;
  }
  return copy;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
