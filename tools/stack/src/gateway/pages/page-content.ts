/** What a page of the gateway consists of; read when it is asked for. */
export interface PageContent {
  type: string;
  body: () => string | Buffer;
}
