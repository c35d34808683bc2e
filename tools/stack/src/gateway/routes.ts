/** A path prefix and where it leads. */
export interface Route {
  prefix: string;
  /** What is behind it, for people. */
  service: string;
  /** The service's API description. */
  openApi: string;
  /** The port on 127.0.0.1; undefined while the service is not there. */
  upstreamPort: () => number | undefined;
}

/** The route of a path: its prefix is the path or is followed by a slash in it. */
export const findRoute = (routes: readonly Route[], path: string): Route | undefined =>
  routes.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
