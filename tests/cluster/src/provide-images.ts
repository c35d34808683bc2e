import { mkdir, rm } from 'node:fs/promises';
import { runTool } from './tools/run-tool.js';
import { archiveFile, buildImages, IMAGES } from './images/build-images.js';
import type { Options } from './options.js';
import { TAGS, type Context } from './context.js';

/** Builds two versions of the services' images, and the development backends, and loads or pushes them. */
export async function provideImages(options: Options, { archives, ...context }: Context & { archives: string }) {
  const { registry, local } = options;
  const common = { registry, args: {}, ...context };
  const { builder, images: first } = await buildImages({
    ...common,
    services: IMAGES,
    tag: TAGS.first,
    local,
    backends: local,
  });
  const { images: second } = await buildImages({
    ...common,
    services: IMAGES,
    tag: TAGS.second,
    local,
    backends: false,
  });
  const images = [...first, ...second];
  await mkdir(archives, { recursive: true });
  for (const image of images) {
    if (options.push) await builder.push(image);
    else await load(image);
  }
  context.report.ready('images', `${images.length} ${options.push ? 'pushed' : 'loaded'}`);

  async function load(image: string): Promise<void> {
    const file = archiveFile(archives, image);
    await rm(file, { force: true });
    await builder.save(image, file);
    const [command, ...args] = options.load!.split(' ');
    await runTool(command!, [...args, file], context);
    await rm(file);
  }
}
