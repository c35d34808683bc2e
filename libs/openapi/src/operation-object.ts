export type Content = Record<string, { schema?: object }>;

/** A Response Object of OpenAPI 3.1. */
export interface Reply {
  description: string;
  content?: Content;
}

/** An Operation Object of OpenAPI 3.1. */
export interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  parameters?: object[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, Reply>;
  [extension: string]: unknown;
}
