/** The base URL without trailing slashes. @throws TypeError for one that is not an http(s) URL */
export function baseOf(baseUrl: string): string {
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) throw new TypeError('baseUrl must be an http(s) URL.');
  return baseUrl.replace(/\/+$/, '');
}

/** @throws TypeError for a URL of another host, which must not get the token */
export function urlWithin(baseUrl: string, path: string): string {
  const url = new URL(path, `${baseUrl}/`);
  if (url.origin !== new URL(baseUrl).origin) throw new TypeError(`${url.origin} is not the platform.`);
  return url.href;
}
