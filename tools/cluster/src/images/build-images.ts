import path from 'node:path';
import { repoRoot, type Report } from '@dtplatform/stack';
import { runTool } from '../tools/run-tool.js';
import { buildLocalBase, LOCAL_BASE } from './base-images.js';
import { findBuilder, type Builder } from './builder.js';
import { buildDevBackends, devBackendImages } from './dev-backends.js';

export interface ImageOptions {
  services: readonly string[];
  /** First part of the images' names. */
  registry: string;
  tag: string;
  /** Builds on base images from packages. */
  local: boolean;
  /** Builds the development backends too. */
  backends: boolean;
  /** Arguments of docker/Dockerfile: the base images where they are not local, a version. */
  args: Record<string, string>;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  report: Report;
}

export interface BuiltImages {
  builder: Builder;
  images: string[];
}

/** Builds the services' images one after the other: they share the steps that take long. */
export async function buildImages(options: ImageOptions): Promise<BuiltImages> {
  const { services, registry, tag, local, report, env, signal } = options;
  const builder = await findBuilder(local ? { ...env, IMAGE_BUILDER: 'buildah' } : env, signal);
  const args = { ...(local ? LOCAL_BASE : {}), REVISION: await revision(env, signal), VERSION: tag, ...options.args };
  const images: string[] = [];
  if (local) await timed(report, 'base images', () => buildLocalBase(env, signal));

  for (const service of services) {
    const image = `${registry}/dtplatform/${service}:${tag}`;
    const dockerfile = path.join(repoRoot, 'docker/Dockerfile');
    const build = { dockerfile, context: repoRoot, image, args: { ...args, SERVICE: service } };
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

/** Where an image's archive is; builders take a colon in a path for the begin of a tag. */
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
