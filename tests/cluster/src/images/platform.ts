/** What an image can run on. */
const PLATFORMS = ['linux/amd64', 'linux/arm64'] as const;
export type Platform = (typeof PLATFORMS)[number];

/** The processor, as Docker and Debian name it. */
export const architectureOf = (platform: Platform): string => platform.split('/')[1]!;

/** The platform of containers on this machine. */
export const ownPlatform = (): Platform => (process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64');

/** Undefined for this machine's, which needs no cross-building. @throws for one that has no images */
export function otherPlatform(text: string = ownPlatform()): Platform | undefined {
  const platform = PLATFORMS.find((one) => one === text);
  if (platform === undefined) throw new Error(`--platform ${text}: expected ${PLATFORMS.join(' or ')}`);
  return platform === ownPlatform() ? undefined : platform;
}
