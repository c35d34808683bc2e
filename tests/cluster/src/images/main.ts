import { mkdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import pc from 'picocolors';
import { lineReport, onInterrupt } from '@dtplatform/stack';
import { archiveFile, buildImages, IMAGES } from './build-images.js';
import { otherPlatform } from './platform.js';

const USAGE = `npm run images -- [options] [NAME…]

Builds the container images of all services, the backup programs and the documentation site, or the named ones, with Docker
or Buildah.

  --registry NAME     first part of the image names (localhost)
  --tag TAG           (dev)
  --platform NAME     linux/amd64 or linux/arm64 (this machine's); the other one needs no emulation
  --local             for machines without access to an image registry: builds the base images from Debian and npm
                      packages, and for this machine's platform also images of the development backends (needs root,
                      buildah and debootstrap)
  --build-arg N=V     an argument of docker/Dockerfile, for example RUN_IMAGE=node:24-slim@sha256:…
  --archives FOLDER   also writes each image to an archive
  --push              also pushes each image`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      registry: { type: 'string', default: 'localhost' },
      tag: { type: 'string', default: 'dev' },
      platform: { type: 'string' },
      local: { type: 'boolean', default: false },
      'build-arg': { type: 'string', multiple: true, default: [] },
      archives: { type: 'string' },
      push: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return void console.log(USAGE);
  const unknown = positionals.find((name) => !IMAGES.includes(name));
  if (unknown !== undefined) throw new Error(`unknown image "${unknown}"; there are ${IMAGES.join(', ')}`);

  const report = lineReport();
  const { registry, tag, local, archives, push } = values;
  const platform = otherPlatform(values.platform);
  const { builder, images } = await buildImages({
    ...{ registry, tag, platform, local, report, env: process.env, signal: onInterrupt(console.log) },
    // They contain programs that run on this machine.
    backends: local && platform === undefined,
    services: positionals.length > 0 ? positionals : IMAGES,
    args: Object.fromEntries(values['build-arg'].map(nameAndValue)),
  });
  if (archives !== undefined) await mkdir(archives, { recursive: true });
  for (const image of images) {
    if (archives !== undefined) await builder.save(image, archiveFile(archives, image));
    if (push) await builder.push(image);
  }
}

function nameAndValue(text: string): [string, string] {
  const [, name, value] = /^([A-Z_]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new Error(`--build-arg ${text}: expected NAME=VALUE`);
  return [name, value];
}

main().catch((error: unknown) => {
  console.error(pc.red(`Building images failed: ${(error as Error).message}`));
  process.exitCode = 1;
});
