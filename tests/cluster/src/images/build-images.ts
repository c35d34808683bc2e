import path from 'node:path';
import { repoRoot, SERVICES, type Report } from '@dtplatform/stack';
import { runTool } from '../tools/run-tool.js';
import { buildLocalBase, localBaseFor } from './base-images.js';
import { findBuilder, type Builder } from './builder.js';
import { buildDevBackends, devBackendImages } from './dev-backends.js';
import type { Platform } from './platform.js';

/** Where the workspace of each image is. */
const FOLDERS: Record<string, string> = {
  ...Object.fromEntries(SERVICES.map(({ name }) => [name, 'services'])),
  backup: 'tools',
  site: 'tools',
};
/** What images can be built of: the services, the backup programs and the documentation site. */
export const IMAGES = Object.keys(FOLDERS);

export interface ImageOptions {
  /** Some of `IMAGES`. */
  services: readonly string[];
  /** The first part of the image names. */
  registry: string;
  tag: string;
  /** This machine's by default. */
  platform?: Platform | undefined;
  /** Builds on base images made from Debian and npm packages. */
  local: boolean;
  /** Also builds the images of the development backends. */
  backends: boolean;
  /** Arguments of docker/Dockerfile: base images if they are not local, and a version. */
  args: Record<string, string>;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  report: Report;
}

export interface BuiltImages {
  builder: Builder;
  images: string[];
}

/** Builds images one by one, because they share the slow steps. */
export async function buildImages(options: ImageOptions): Promise<BuiltImages> {
  const { services, registry, tag, platform, local, report, env, signal } = options;
  const builder = await findBuilder(env, signal, { local });
  const base = local ? localBaseFor(platform) : {};
  const args = { ...base, REVISION: await revision(env, signal), VERSION: tag, ...options.args };
  const images: string[] = [];
  if (local) await timed(report, 'base images', () => buildLocalBase(env, signal, platform));

  for (const service of services) {
    const image = `${registry}/dtplatform/${service}:${tag}`;
    const dockerfile = path.join(repoRoot, 'docker/Dockerfile');
    const build = {
      dockerfile,
      context: repoRoot,
      image,
      platform,
      args: { ...args, SERVICE: service, FOLDER: FOLDERS[service]! },
    };
    await timed(
      report,
      service,
      () => builder.build(build),
      () => sizeOf(builder, image),
    );
    images.push(image);
  }
  if (options.backends) {
    const built = devBackendImages(registry);
    await timed(report, 'development backends', () => buildDevBackends(builder, built, { env, signal, report }));
    images.push(...built.map(({ image }) => image));
  }
  return { builder, images };
}

/** The path of an image's archive. Builders parse a colon in a path as the start of a tag. */
export const archiveFile = (folder: string, image: string): string =>
  path.join(folder, `${image.split('/').at(-1)!.replace(':', '-')}.tar`);

const sizeOf = async (builder: Builder, image: string): Promise<string> =>
  `, ${Math.round((await builder.size(image)) / 1e6)} MB`;

async function timed(report: Report, what: string, work: () => Promise<void>, more?: () => Promise<string>) {
  const startMs = performance.now();
  report.progress(what, 'building');
  await work();
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  report.ready(what, `built in ${seconds} s${(await more?.()) ?? ''}`);
}

const revision = (env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string> =>
  runTool('git', ['-C', repoRoot, 'rev-parse', 'HEAD'], { env, signal }).catch(() => 'unknown');
