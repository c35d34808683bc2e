type Read = (name: string) => string | undefined;

/** `NAME_URL` of these backends may be completed by other variables. */
const BACKENDS = ['MONGO', 'REDIS'];

/**
 * Adds to the URLs of MongoDB and Redis what operators keep apart from them: `MONGO_USERNAME` and `MONGO_PASSWORD`, which
 * may have any character, and `MONGO_CLIENT_CERTIFICATE_FILE`, the path of a PEM file with a certificate and its private
 * key; likewise for `REDIS`. @returns the completed values
 */
export function completeUrls(
  values: Record<string, string>,
  env: NodeJS.ProcessEnv,
  read: Read,
): Record<string, string> {
  const urls = BACKENDS.filter((backend) => values[`${backend}_URL`]).map((backend) => {
    const name = `${backend}_URL`;
    const user = read(`${backend}_USERNAME`);
    const password = read(`${backend}_PASSWORD`);
    const certificate = env[`${backend}_CLIENT_CERTIFICATE_FILE`];
    const url = withUser(values[name]!, user, password);
    return [name, certificate ? withOption(url, 'tlsCertificateKeyFile', certificate) : url];
  });
  return { ...values, ...(Object.fromEntries(urls) as Record<string, string>) };
}

/** Replaces the given parts of what the URL says before its hosts, of which MongoDB's may have several. */
function withUser(url: string, user?: string, password?: string): string {
  if (user === undefined && password === undefined) return url;
  return url.replace(
    /^([a-z+-]+:\/\/)(?:([^/?:@]*)(:[^/?@]*)?@)?/,
    (_, scheme: string, oldUser = '', oldPassword = '') => {
      const name = user === undefined ? (oldUser as string) : encodeURIComponent(user);
      const secret = password === undefined ? (oldPassword as string) : `:${encodeURIComponent(password)}`;
      return `${scheme}${name}${secret}@`;
    },
  );
}

function withOption(url: string, name: string, value: string): string {
  const path = /^[a-z+-]+:\/\/[^/?]*\//.test(url) ? url : url.replace(/(\?|$)/, '/$1');
  return `${path}${path.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`;
}
