/** A minimal browser: HTTP with cookies, without scripts. @param headers sent with each request */
export function createBrowser(headers: Record<string, string> = {}) {
  const cookies = new Map<string, { name: string; value: string; path: string }>();

  function keep(response: Response, url: URL): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(/; */);
      const name = pair.slice(0, pair.indexOf('='));
      const value = pair.slice(pair.indexOf('=') + 1);
      const path = attributes.find((a) => a.toLowerCase().startsWith('path='))?.slice(5) ?? url.pathname;
      if (value === '') cookies.delete(`${name} ${path}`);
      else cookies.set(`${name} ${path}`, { name, value, path });
    }
  }

  async function send(url: URL, init: RequestInit = {}): Promise<Response> {
    const cookie = [...cookies.values()]
      .filter(({ path }) => url.pathname.startsWith(path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...headers, cookie } });
    keep(response, url);
    return response;
  }

  /** Follows redirects to a page, or to a URL that begins with `until`. */
  async function follow(response: Response, from: URL, until: string): Promise<Visit> {
    let [here, at] = [response, from];
    for (let hops = 0; here.status >= 300 && here.status < 400 && hops < 10; hops++) {
      at = new URL(here.headers.get('location')!, at);
      if (at.href.startsWith(until)) break;
      here = await send(at);
    }
    return { reply: here, url: at };
  }

  const submit = (url: URL, form: Record<string, string>) =>
    send(url, { method: 'POST', body: new URLSearchParams(form) });

  /** Submits the sign-in page and the consent page, if they appear. */
  async function answerPages(
    { reply, url }: Visit,
    user: { userName: string; password: string },
    { redirectUri, decision }: { redirectUri: string; decision: string },
  ): Promise<URL> {
    if (url.href.startsWith(redirectUri)) return url;
    const html = await reply.text();
    const form = formOf(html);
    if (!form) throw new Error(`no form at ${url.href}: ${reply.status}`);
    const isSignIn = html.includes('name="password"');
    // The sign-in page appears again after a wrong password.
    if (isSignIn && reply.status !== 200) throw new Error(`rejected at ${url.href}: ${reply.status}`);
    const target = new URL(form.action, url);
    const answer: Record<string, string> = isSignIn
      ? { username: user.userName, password: user.password }
      : { ...form.hidden, decision };
    const next = await follow(await submit(target, answer), target, redirectUri);
    return answerPages(next, user, { redirectUri, decision });
  }

  return {
    cookies,
    get: (url: string | URL) => send(new URL(url)),
    post: (url: string | URL, form: Record<string, string>) => submit(new URL(url), form),
    /** Opens a URL and follows redirects to a page, or to a URL that begins with `until`. */
    open: async (url: string | URL, until: string) => follow(await send(new URL(url)), new URL(url), until),
    /**
     * Opens the authorize URL, signs in and consents if necessary.
     * @returns the URL at which the browser returns to the app
     */
    async signIn(
      authorizeUrl: string | URL,
      user: { userName: string; password: string },
      redirectUri: string,
      decision = 'allow',
    ): Promise<URL> {
      const start = new URL(authorizeUrl);
      return answerPages(await follow(await send(start), start, redirectUri), user, { redirectUri, decision });
    },
  };
}

interface Visit {
  reply: Response;
  url: URL;
}

/** The first form of a page: its action and hidden fields. */
export function formOf(html: string): { action: string; hidden: Record<string, string> } | undefined {
  const action = /<form[^>]* action="([^"]+)"/.exec(html)?.[1];
  const hidden = html.matchAll(/<input\s+type="hidden"\s+name="([^"]+)"\s+value="([^"]*)"/g);
  const unescaped = (text: string) => text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  return action === undefined
    ? undefined
    : { action, hidden: Object.fromEntries([...hidden].map(([, name, value]) => [name!, unescaped(value!)])) };
}
