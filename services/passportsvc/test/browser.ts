/** A minimal browser: plain HTTP with cookies, without scripts. */
export function createBrowser() {
  const cookies = new Map<string, { value: string; path: string }>();

  function keep(reply: Response, url: URL): void {
    for (const line of reply.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(/; */);
      const name = pair.slice(0, pair.indexOf('='));
      const value = pair.slice(pair.indexOf('=') + 1);
      const path = attributes.find((a) => a.toLowerCase().startsWith('path='))?.slice(5) ?? url.pathname;
      if (value === '') cookies.delete(name);
      else cookies.set(name, { value, path });
    }
  }

  async function send(url: URL, init: RequestInit = {}): Promise<Response> {
    const cookie = [...cookies]
      .filter(([, { path }]) => url.pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
    const reply = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } });
    keep(reply, url);
    return reply;
  }

  /** Follows redirects to a page, or to a URL that begins with `until`. */
  async function follow(reply: Response, from: URL, until: string): Promise<{ reply: Response; url: URL }> {
    let [here, at] = [reply, from];
    for (let hops = 0; here.status >= 300 && here.status < 400 && hops < 10; hops++) {
      at = new URL(here.headers.get('location')!, at);
      if (at.href.startsWith(until)) break;
      here = await send(at);
    }
    return { reply: here, url: at };
  }

  return {
    cookies,
    get: (url: string | URL) => send(new URL(url)),
    post: (url: string | URL, form: Record<string, string>) =>
      send(new URL(url), { method: 'POST', body: new URLSearchParams(form) }),
    /** Opens the authorize URL and signs in if necessary. @returns the URL at which the browser returns to the app */
    async signIn(
      authorizeUrl: string | URL,
      user: { userName: string; password: string },
      redirectUri: string,
    ): Promise<URL> {
      const start = new URL(authorizeUrl);
      const page = await follow(await send(start), start, redirectUri);
      if (page.url.href.startsWith(redirectUri)) return page.url;
      const action = /<form method="post" action="([^"]+)"/.exec(await page.reply.text())?.[1];
      if (!action) throw new Error(`no sign-in form at ${page.url.href}: ${page.reply.status}`);
      const target = new URL(action, page.url);
      const sent = await send(target, {
        method: 'POST',
        body: new URLSearchParams({ username: user.userName, password: user.password }),
      });
      return (await follow(sent, target, redirectUri)).url;
    },
  };
}
