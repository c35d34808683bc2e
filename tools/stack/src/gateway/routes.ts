export interface Route {
  prefix: string;
  service: string;
  /** The service's API description; the documentation site has none. */
  openApi?: string;
  /** The port on 127.0.0.1; undefined while the service is not running. */
  upstreamPort: () => number | undefined;
}

/** Matches a prefix that is the whole path or is followed by a slash. */
export const findRoute = (routes: readonly Route[], path: string): Route | undefined =>
  routes.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
