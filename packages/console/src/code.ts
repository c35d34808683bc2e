import { OPERATIONS } from '@dtplatform/sdk';
import type { Call } from './calls';
import { client } from './session';

interface AnyInput {
  path?: object;
  query?: object;
  body?: unknown;
  headers?: Record<string, string | undefined>;
}

/** The ways to make a call outside of the console. */
export const CODE = { curl: curlOf, TypeScript: sdkOf, 'dt (CLI)': cliOf } as const;

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const methodOf = ([, operation]: Call) => OPERATIONS[operation].split(' ', 1)[0]!;
const urlOf = ([namespace, operation, input]: Call) => {
  const caller: { url(operation: string, input: object): string } = namespace === null ? client : client.in(namespace);
  return new URL(caller.url(operation, input));
};
const bodyOf = ([, , input]: Call) => (input as AnyInput).body;

const headersOf = ([, , input]: Call) =>
  Object.entries((input as AnyInput).headers ?? {}).filter(([, value]) => value !== undefined);

function curlOf(call: Call): string {
  const body = bodyOf(call);
  return [
    `curl --request ${methodOf(call)} ${quoted(urlOf(call).href)}`,
    '--header "Authorization: Bearer $TOKEN"',
    ...headersOf(call).map(([name, value]) => `--header ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined
      ? []
      : ["--header 'Content-Type: application/json'", `--data ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}

function sdkOf([namespace, operation, { ...input }]: Call): string {
  const caller = namespace === null ? 'client' : `client.in(${JSON.stringify(namespace)})`;
  const argument = Object.keys(input).length === 0 ? '' : `, ${JSON.stringify(input, null, 2)}`;
  return `const result = await ${caller}.call(${JSON.stringify(operation)}${argument});`;
}

function cliOf(call: Call): string {
  const { pathname, searchParams } = urlOf(call);
  const body = bodyOf(call);
  return [
    `dt api ${methodOf(call)} ${pathname}`,
    ...[...searchParams].map(([name, value]) => `--query-param ${quoted(`${name}=${value}`)}`),
    ...(body === undefined ? [] : [`--data ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}
