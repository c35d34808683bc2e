/** A Media Type Object of OpenAPI 3.1. */
interface MediaType {
  schema?: object;
  /** Examples by operation. */
  examples?: Record<string, { value: unknown }>;
}
export type Content = Record<string, MediaType>;

/** A Response Object of OpenAPI 3.1, or a reference to one. */
export interface RouteResponse {
  description: string;
  headers?: Record<string, object>;
  content?: Content;
}

/** A Parameter Object of OpenAPI 3.1. */
export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: object;
  example?: unknown;
}

/** An Operation Object of OpenAPI 3.1. */
export interface Operation {
  operationId: string;
  summary: string;
  /** What the summary does not say. */
  description?: string;
  tags: string[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, RouteResponse | { $ref: string }>;
  [extension: string]: unknown;
}
