/** The content of a page of the gateway, read on each request. */
export interface PageContent {
  type: string;
  body: () => string | Buffer;
}
