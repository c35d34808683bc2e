import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { typeErrorsOf } from './support/compile.js';
import { expectResponse, stepsOf } from './support/guide.js';
import { installPythonSdk } from './support/python.js';
import type { PythonSdk } from './support/python.js';
import { repositoryFile } from './support/repository.js';
import { createDesk, runInNode, runInPython, runInShell } from './support/run-snippets.js';
import type { Desk } from './support/run-snippets.js';

const PAGE = 'docs/guides/first-app.md';

let sdk: PythonSdk;
beforeAll(async () => {
  sdk = await installPythonSdk();
}, 180_000);
afterAll(() => sdk.stop());

describe.each([
  { reader: 'curl', tabs: ['curl'], run: runInShell },
  { reader: 'the SDK', tabs: ['SDK'], run: runInNode },
  { reader: 'Python', tabs: ['Python'], run: (...of: Parameters<typeof runInNode>) => runInPython(sdk.python, ...of) },
  { reader: 'the command line', tabs: ['CLI', 'curl'], run: runInShell },
])('Your first app, with $reader', ({ tabs, run }) => {
  const steps = stepsOf(PAGE, tabs);
  let desk: Desk;
  let outputs: string[];

  beforeAll(async () => {
    desk = await createDesk();
    outputs = await run(
      desk,
      steps.map(({ code }) => code),
    );
  });
  afterAll(() => desk.stop());

  it('runs to its end', () => {
    expect(steps.length).toBeGreaterThan(10);
    expect(outputs.length).toBe(steps.length);
  });

  it.each(steps.map((step, index) => ({ ...step, index })).filter(({ reply }) => reply))(
    '$heading: the reply to snippet $index is what the guide shows',
    ({ reply, index }) => expectResponse(outputs[index]!, reply!),
  );
});

it('Your first app, with the SDK, is valid TypeScript', async () => {
  const desk = await createDesk();
  const program = stepsOf(PAGE, ['SDK']).map(({ code }) => code);
  expect(await typeErrorsOf(desk, [program.join('\n')])).toBe('');
  await desk.stop();
});

it('Your first app, in Python, is typed', async () => {
  const desk = await createDesk();
  const program = stepsOf(PAGE, ['Python']).map(({ code }) => code);
  await writeFile(desk.file('first_app.py'), program.join('\n'));
  expect(await sdk.typeErrorsOf(desk.file('first_app.py'))).toBe('');
  await desk.stop();
});

describe('The reference', () => {
  let pages: string;
  beforeAll(async () => {
    const { referencePages } = (await import(repositoryFile('tools/site/src/reference/pages.mjs'))) as {
      referencePages: () => [string, string][];
    };
    pages = referencePages()
      .map(([, text]) => text)
      .join('\n');
  });
  const callsOf = (tab: string) =>
    [...pages.matchAll(new RegExp(`\`\`\`\\w+ \\[${tab}\\]\\n([^]*?)\`\`\``, 'g'))].map(([, code]) => code!);

  it('shows typed calls of the SDK', async () => {
    const desk = await createDesk();
    const calls = callsOf('SDK');
    expect(calls.length).toBeGreaterThan(150);
    const globals = "declare const client: import('@dtplatform/sdk').Client;";
    expect(await typeErrorsOf(desk, [calls.map((call) => `{ ${call} }`).join('\n')], globals)).toBe('');
    await desk.stop();
  });

  it('shows typed calls in Python', async () => {
    const desk = await createDesk();
    const calls = callsOf('Python').map((call) => call.replace(/^reply = /, ''));
    expect(calls.length).toBeGreaterThan(150);
    const client = 'from dtplatform import create_client\nclient = create_client(base_url="http://127.0.0.1", auth="")';
    await writeFile(desk.file('calls.py'), [client, ...calls].join('\n'));
    expect(await sdk.typeErrorsOf(desk.file('calls.py'))).toBe('');
    await desk.stop();
  });
});
