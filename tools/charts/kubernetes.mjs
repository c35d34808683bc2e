import { readFileSync } from 'node:fs';

export const { versions, kindsOfOthers } = JSON.parse(
  readFileSync(new URL('kubernetes.json', import.meta.url), 'utf8'),
);

export const newest = versions.at(-1);
