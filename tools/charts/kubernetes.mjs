import { readFileSync } from 'node:fs';

/** The Kubernetes versions that the charts support, and the kinds of custom resources that they use. */
export const { versions, kindsOfOthers } = JSON.parse(
  readFileSync(new URL('kubernetes.json', import.meta.url), 'utf8'),
);

export const newest = versions.at(-1);
