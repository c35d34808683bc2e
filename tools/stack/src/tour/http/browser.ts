import { UnexpectedAnswer } from './caller.js';

const MAX_REDIRECTS = 10;

export interface BrowserOptions {
  /** The application's redirect URI, where following redirects stops. */
  redirectUri: string;
  /** The user's choice on the consent page of another organization's application; `allow` by default. */
  decision?: 'allow' | 'deny';
  signal?: AbortSignal;
  /** With the cookies of an earlier visit, the user is signed in already. */
  cookies?: Map<string, string>;
}

/**
 * Acts as a user's browser: opens the authorize endpoint, fills in the sign-in form, answers the consent page if there
 * is one, and is redirected to the application. Returns the URL of that redirect.
 */
export async function signInAsBrowser(
  authorizeUrl: URL,
  user: { email: string; password: string },
  options: BrowserOptions,
): Promise<URL> {
  const browser = new Browser(options);
  const page = await browser.visit(authorizeUrl);
  if (page.html === undefined) return page.url;
  const signIn = formOf(page.html, page.url, 'password');
  const credentials = { ...signIn.hidden, username: user.email, password: user.password };
  const next = await browser.visit(signIn.action, new URLSearchParams(credentials));
  if (next.html === undefined) return next.url;
  const consent = formOf(next.html, next.url, 'decision');
  const answer = { ...consent.hidden, decision: options.decision ?? 'allow' };
  const { url, html } = await browser.visit(consent.action, new URLSearchParams(answer));
  if (html !== undefined) throw new UnexpectedAnswer('POST', consent.action, 'a redirect', 'a page', html);
  return url;
}

/** Keeps cookies and follows redirects up to the application's URL. */
class Browser {
  readonly #cookies: Map<string, string>;
  readonly #options: BrowserOptions;

  constructor(options: BrowserOptions) {
    this.#options = options;
    this.#cookies = options.cookies ?? new Map<string, string>();
  }

  async visit(url: URL, form?: URLSearchParams, redirects = 0): Promise<{ url: URL; html?: string }> {
    if (redirects > MAX_REDIRECTS) throw new Error(`${url.href}: more than ${MAX_REDIRECTS} redirects`);
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const method = form === undefined ? 'GET' : 'POST';
    const response = await fetch(url, {
      ...{ method, body: form, redirect: 'manual', signal: this.#options.signal },
      headers: cookie === '' ? {} : { cookie },
    });
    this.#keepCookies(response.headers.getSetCookie());
    const html = await response.text();
    const location = response.headers.get('location');
    if (response.status === 200) return { url, html };
    if (response.status < 300 || response.status > 399 || location === null)
      throw new UnexpectedAnswer(method, url, 'a page or a redirect', response.status, html);
    const next = new URL(location, url);
    return next.href.startsWith(this.#options.redirectUri) ? { url: next } : this.visit(next, undefined, redirects + 1);
  }

  #keepCookies(lines: string[]): void {
    for (const line of lines) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      const isOver = attributes.some((attribute) => /^expires=.* 1970 |^max-age=0$/i.test(attribute));
      if (isOver) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
  }
}

/** The target of the form and its hidden fields. @param field the form must have an input or button of this name */
function formOf(html: string, page: URL, field: string): { action: URL; hidden: Record<string, string> } {
  const form = /<form\b[^>]*>/i.exec(html)?.[0];
  const controls = [...html.matchAll(/<(?:input|button)\b[^>]*>/gi)].map(([tag]) => attribute(tag, 'name'));
  if (form === undefined || !controls.includes(field))
    throw new Error(`${page.pathname} is not the expected page: it has no form with a field named ${field}`);
  const inputs = [...html.matchAll(/<input\b[^>]*>/gi)].map(([tag]) => tag);
  const hidden = inputs.filter((tag) => attribute(tag, 'type') === 'hidden');
  return {
    action: new URL(attribute(form, 'action') ?? '', page),
    hidden: Object.fromEntries(hidden.map((tag) => [attribute(tag, 'name') ?? '', attribute(tag, 'value') ?? ''])),
  };
}

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}\\s*=\\s*"([^"]*)"`, 'i').exec(tag)?.[1];
  return value?.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}
