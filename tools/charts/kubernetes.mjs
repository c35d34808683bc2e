import { readFileSync } from 'node:fs';

/** The versions that charts are for, and kinds that are not part of Kubernetes. */
export const { versions, kindsOfOthers } = JSON.parse(
  readFileSync(new URL('kubernetes.json', import.meta.url), 'utf8'),
);

export const newest = versions.at(-1);
