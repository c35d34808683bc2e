import type { Reply } from '@dtplatform/sdk';
import { Argument } from 'commander';
import type { Command } from 'commander';
import { connect } from '../connect.js';
import { interruption } from '../interruption.js';
import { DATA, readData, several } from '../options.js';
import { printValue } from '../output.js';
import { UsageError } from '../usage-error.js';

interface ApiOptions {
  data?: string;
  queryParam?: string[];
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export function addApi(program: Command): void {
  program
    .command('api')
    .addArgument(new Argument('<method>', 'the HTTP method').choices(METHODS))
    .argument('<path>', 'the path, such as /filesvc/api/v1/files')
    .option('--data <json>', `the body: ${DATA}`)
    .option('--query-param <name=value>', 'a parameter of the query; can be repeated', several)
    .description('send a request with your token, and print the response')
    .action(request);
}

async function request(method: string, path: string, options: ApiOptions, command: Command): Promise<void> {
  const { client, output } = await connect(command);
  const body = options.data === undefined ? undefined : JSON.stringify(await readData(options.data));
  const headers: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const { signal } = interruption;
  const response = await client.open(withQuery(path, options.queryParam), { method, headers, body, signal });
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (!/[/+]json\b/.test(typeOf(response))) return void process.stdout.write(bytes);
  // Without columns of its own, a response is easier to read as JSON.
  const format = output.format === 'table' && output.query === undefined ? 'json' : output.format;
  printValue({ ...output, format }, JSON.parse(new TextDecoder().decode(bytes)));
}

const typeOf = ({ headers }: Pick<Reply<unknown>, 'headers'>) => headers.get('content-type') ?? '';

function withQuery(path: string, parameters: string[] = []): string {
  // Relative, because the base URL may have a path of its own.
  const target = path.replace(/^\/+/, '');
  const query = new URLSearchParams();
  for (const each of parameters) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(each) ?? [];
    if (name === undefined) throw new UsageError('A --query-param must be name=value.');
    query.append(name, value!);
  }
  const text = query.toString();
  return text === '' ? target : `${target}${target.includes('?') ? '&' : '?'}${text}`;
}
