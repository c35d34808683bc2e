/** The example of an operation: a call and the response recorded by a test. */
import { fence, tabs } from './markdown.mjs';

export function exampleCalls(operation) {
  const reply = replyOf(operation);
  const body = exampleIn(operation.requestBody?.content);
  if (!reply && !body) return [];
  return tabs([
    fence('sh', 'curl', curlOf(operation, body?.value)),
    ...(reply ? [fence('json', `Reply ${reply.status}`, pretty(reply.value))] : []),
  ]);
}

function replyOf({ responses }) {
  for (const [status, { content }] of Object.entries(responses)) {
    const example = Number(status) < 400 ? exampleIn(content) : undefined;
    if (example) return { status, ...example };
  }
  return undefined;
}

const exampleIn = (content = {}) => Object.values(content).flatMap(({ examples = {} }) => Object.values(examples))[0];

function curlOf({ method, path, parameters = [], security }, body) {
  const example = ({ name, example }) => (example === undefined ? `{${name}}` : encodeURIComponent(example));
  const filled = parameters
    .filter((each) => each.in === 'path')
    .reduce((text, each) => text.replace(`{${each.name}}`, example(each)), path);
  const query = parameters
    .filter((each) => each.in === 'query' && (each.required || each.example !== undefined))
    .map((each) => `${each.name}=${example(each)}`)
    .join('&');
  const url = `"$BASE${filled}${query && `?${query}`}"`;
  const options = [
    ...(method === 'get' ? [] : [`-X ${method.toUpperCase()}`]),
    ...(security?.length === 0 ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${escaped(pretty(body))}'`]),
  ];
  return [`curl ${url}`, ...options].join(' \\\n  ');
}

const pretty = (value) => JSON.stringify(value, null, 2);
const escaped = (shell) => shell.replaceAll("'", "'\\''");
