import type { SourceContext } from '../types.js';
import { fromContainer } from './container.js';
import { fromPackage } from './package.js';
import { fromPath } from './path.js';
import { type AnyBackendSpec, type Launcher, type Source, type SourceKind, Unavailable } from './source.js';

const SOURCES: Record<SourceKind, Source> = { path: fromPath, container: fromContainer, package: fromPackage };
const ORDER: readonly SourceKind[] = ['path', 'container', 'package'];

/** No source of a backend works; the message lists what was tried and the easiest fix. */
export class BackendUnavailable extends Error {
  constructor({ title, wayOut, setting }: AnyBackendSpec, tried: readonly string[]) {
    const list = [`${setting}: not set`, ...tried].map((line) => `  - ${line}`);
    super([`No ${title} is available. Tried:`, ...list, `Easiest fix: start Docker, ${wayOut}.`].join('\n'));
  }
}

/**
 * The first source that works. Existing data prefers the source that wrote it: another version may be unable to read
 * it.
 */
export async function acquire(
  spec: AnyBackendSpec,
  before: SourceKind | undefined,
  context: SourceContext,
): Promise<Launcher> {
  const tried: string[] = [];
  const order = before === undefined ? ORDER : [before, ...ORDER.filter((kind) => kind !== before)];
  for (const kind of order) {
    try {
      return await SOURCES[kind](spec, context);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      tried.push(...error.message.split('\n'));
    }
  }
  throw new BackendUnavailable(spec, tried);
}
