import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { NODE_FLAGS, repoRoot } from '../src/index.js';

it('Node.js runs with the same flags in the local stack and in the image', () => {
  const dockerfile = readFileSync(path.join(repoRoot, 'docker', 'Dockerfile'), 'utf8');
  const [, options] = /^ENV NODE_OPTIONS=(.*)$/m.exec(dockerfile)!;
  const [, command] = /^CMD \["node", (.*), "dist\/main.js"\]$/m.exec(dockerfile)!;
  const ofCommand = JSON.parse(`[${command}]`) as string[];
  expect([...ofCommand, ...options!.split(' ')].sort()).toEqual([...NODE_FLAGS].sort());
});
