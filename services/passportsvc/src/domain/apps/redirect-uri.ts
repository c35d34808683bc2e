import { isIPv4 } from 'node:net';

/** What the characters of a URI are (RFC 3986), without those that begin a fragment and those that encode a control character. */
const URI = /^(?:[\w!$&'()*+,./:;=?@[\]~-]|%(?!0|1|7f)[\da-f]{2})+$/i;
const USER_INFO = /^[^:]+:\/\/[^/?]*@/;
/** An address whose `https://` was forgotten. */
const HOST_AND_PORT = /^[^:/]+:\d+(?:[/?]|$)/;
/** With a dot, because its owner is named by it (RFC 8252, section 7.1). */
const PRIVATE_USE_SCHEME = /^[a-z][a-z\d+-]*(?:\.[a-z\d+-]+)+:./i;

export const REDIRECT_URI_RULE =
  'must be https URIs, http URIs of localhost or a loopback address, or URIs of a private-use scheme with a dot; ' +
  'without user information, fragment, spaces and control characters';

/**
 * Whether a browser may be redirected there (RFC 6749, section 3.1.2; RFC 8252, section 7): to a host over https, to the user's own
 * machine, or to an app that owns a scheme.
 */
export function isRedirectUri(text: string): boolean {
  if (!URI.test(text) || USER_INFO.test(text) || !URL.canParse(text)) return false;
  const { hostname } = new URL(text);
  if (/^https:\/\/[^/]/i.test(text)) return true;
  if (/^http:\/\/[^/]/i.test(text)) return isLoopback(hostname);
  return PRIVATE_USE_SCHEME.test(text) && !HOST_AND_PORT.test(text);
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'));
