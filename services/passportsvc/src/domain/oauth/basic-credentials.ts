import { errors } from '../../errors.js';

interface BasicCredentials {
  appId: string;
  secret: string;
}

const BASIC = /^Basic +([A-Za-z0-9+/_-]+={0,2}) *$/i;

/**
 * The app's id and secret from an `Authorization: Basic` header; undefined without the header.
 * @throws invalidClient when the header has any other form
 */
export function basicCredentials(header: string | undefined): BasicCredentials | undefined {
  if (header === undefined) return undefined;
  const encoded = BASIC.exec(header)?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) throw errors.invalidClient({ message: 'The Authorization header is malformed.' });
  return { appId: formDecoded(text.slice(0, colon)), secret: text.slice(colon + 1) };
}

/** RFC 6749, section 2.3.1 requires ids and secrets in the header to be form-encoded; most clients skip that. */
export function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
