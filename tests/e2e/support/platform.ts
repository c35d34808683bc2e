import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { DevJson } from '@dtplatform/stack';

/** The platform that the global setup started. */
export const devJsonFile = path.join(process.env.E2E_STATE_DIR ?? '.dtplatform', 'dev.json');
export const dev = JSON.parse(readFileSync(devJsonFile, 'utf8')) as DevJson;

/** Services, each with a path below its prefix for a GET with a namespace. */
export const SERVICES = [
  'passportsvc',
  'objectmodelsvc',
  'filesvc',
  'graphicssvc',
  'itemsvc',
  'datasourcesvc',
  'metricsvc',
] as const;
export type ServiceName = (typeof SERVICES)[number];

export interface RouteResponse {
  status: number;
  headers: Headers;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests say what is in it
  body: any;
}

export interface Request {
  token?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  json?: unknown;
  body?: string | Buffer | URLSearchParams | FormData;
}

/** Sends a request through the gateway and returns the response, whatever its status. Parses JSON bodies. */
export const send = (method: string, path: string, request: Request = {}): Promise<RouteResponse> =>
  sendTo(dev.baseUrl, method, path, request);

export async function sendTo(
  baseUrl: string,
  method: string,
  path: string,
  { token, query, headers, json, body }: Request = {},
): Promise<RouteResponse> {
  const url = new URL(path, baseUrl);
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
  const all = new Headers(headers);
  if (token !== undefined) all.set('authorization', `Bearer ${token}`);
  if (json !== undefined && !all.has('content-type')) all.set('content-type', 'application/json');
  const response = await fetch(url, {
    ...{ method, headers: all, redirect: 'manual', signal: AbortSignal.timeout(30_000) },
    body: (json === undefined ? body : JSON.stringify(json)) as RequestInit['body'],
  });
  const text = await response.text();
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, body: isJson && text ? JSON.parse(text) : text };
}
