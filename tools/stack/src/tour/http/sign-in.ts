import { randomBytes } from 'node:crypto';
import { createCaller, UnexpectedAnswer } from './caller.js';

const MAX_REDIRECTS = 10;

export interface Application {
  baseUrl: string;
  appId: string;
  appSecret: string;
  redirectUri: string;
  signal?: AbortSignal;
}

/** What the token endpoint answers (contract: Token object). */
export interface Tokens {
  access_token: string;
  token_type: string;
  refresh_token?: string;
  expires_in: number;
  scope: string;
  user_name?: string;
  app_id: string;
  jti: string;
}

/** The authorization code grant with a secret, as a browser and a server-side application do it together. */
export async function signIn(app: Application, user: { email: string; password: string }): Promise<Tokens> {
  const code = await authorize(app, user);
  return requestToken(app, { grant_type: 'authorization_code', code, redirect_uri: app.redirectUri });
}

/** A token of the application itself. */
export const clientCredentials = (app: Application): Promise<Tokens> =>
  requestToken(app, { grant_type: 'client_credentials', scope: 'read write' });

/** A new pair of tokens for a refresh token, which is used up by it. */
export const refresh = (app: Application, refreshToken: string): Promise<Tokens> =>
  requestToken(app, { grant_type: 'refresh_token', refresh_token: refreshToken });

async function requestToken(app: Application, parameters: Record<string, string>): Promise<Tokens> {
  const basic = Buffer.from(`${app.appId}:${app.appSecret}`).toString('base64');
  const { body } = await createCaller(app).call<Tokens>('POST', '/passportsvc/api/v1/oauth/token', {
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ ...parameters, client_id: app.appId }),
  });
  return body;
}

/** Plays the browser: opens the authorize endpoint, fills the sign-in form in and follows to the redirect URI. */
async function authorize(app: Application, user: { email: string; password: string }): Promise<string> {
  const browser = new Browser(app.redirectUri, app.signal);
  const start = new URL('/passportsvc/api/v1/oauth/authorize', app.baseUrl);
  const state = randomBytes(8).toString('hex');
  const { appId: client_id, redirectUri: redirect_uri } = app;
  const query = { response_type: 'code', client_id, redirect_uri, scope: 'read write', state };
  start.search = new URLSearchParams(query).toString();

  const page = await browser.visit(start);
  if (page.html === undefined) throw new Error(`${start.pathname} showed no sign-in page: it led to ${page.url.href}`);
  const form = signInForm(page.html, page.url);
  const fields = { ...form.hidden, username: user.email, password: user.password };
  const { url, html } = await browser.visit(form.action, new URLSearchParams(fields));
  const code = url.searchParams.get('code');
  if (html !== undefined || code === null || url.searchParams.get('state') !== state)
    throw new UnexpectedAnswer('POST', form.action, 'a redirect with the code', url.href, html ?? '');
  return code;
}

/** Keeps cookies and follows redirects, up to the address of the application. */
class Browser {
  readonly #cookies = new Map<string, string>();
  readonly #end: string;
  readonly #signal: AbortSignal | undefined;

  constructor(end: string, signal?: AbortSignal) {
    this.#end = end;
    this.#signal = signal;
  }

  async visit(url: URL, form?: URLSearchParams, redirects = 0): Promise<{ url: URL; html?: string }> {
    if (redirects > MAX_REDIRECTS) throw new Error(`${url.href}: more than ${MAX_REDIRECTS} redirects`);
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const method = form === undefined ? 'GET' : 'POST';
    const response = await fetch(url, {
      ...{ method, body: form, redirect: 'manual', signal: this.#signal },
      headers: cookie === '' ? {} : { cookie },
    });
    this.#keepCookies(response.headers.getSetCookie());
    const html = await response.text();
    const location = response.headers.get('location');
    if (response.status === 200) return { url, html };
    if (response.status < 300 || response.status > 399 || location === null)
      throw new UnexpectedAnswer(method, url, 'a page or a redirect', response.status, html);
    const next = new URL(location, url);
    return next.href.startsWith(this.#end) ? { url: next } : this.visit(next, undefined, redirects + 1);
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

/** Where the form goes, and what it sends besides what the user fills in. */
function signInForm(html: string, page: URL): { action: URL; hidden: Record<string, string> } {
  const form = /<form\b[^>]*>/i.exec(html)?.[0];
  if (form === undefined || attribute(html, 'name', /<input\b[^>]*password[^>]*>/i) !== 'password')
    throw new Error(`${page.pathname} is no sign-in page: it has no form with a field named password`);
  const inputs = [...html.matchAll(/<input\b[^>]*>/gi)].map(([tag]) => tag);
  const hidden = inputs.filter((tag) => attribute(tag, 'type') === 'hidden');
  return {
    action: new URL(attribute(form, 'action') ?? '', page),
    hidden: Object.fromEntries(hidden.map((tag) => [attribute(tag, 'name') ?? '', attribute(tag, 'value') ?? ''])),
  };
}

function attribute(html: string, name: string, within?: RegExp): string | undefined {
  const tag = within === undefined ? html : (within.exec(html)?.[0] ?? '');
  const value = new RegExp(`\\b${name}\\s*=\\s*"([^"]*)"`, 'i').exec(tag)?.[1];
  return value?.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}
