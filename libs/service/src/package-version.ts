import { readFileSync } from 'node:fs';

/** The version of a service. @param moduleUrl `import.meta.url` of a module directly in its `src` or `dist` */
export function packageVersion(moduleUrl: string): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', moduleUrl), 'utf8')) as { version: string };
  return version;
}
