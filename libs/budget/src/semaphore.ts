export interface Semaphore {
  /** Whether all permits are taken. */
  isFull(): boolean;
  /** Whether the owner holds its maximum. */
  hasMost(owner: string): boolean;
  /** Takes a free permit. @returns an idempotent function that releases it */
  take(owner: string): () => void;
}

/** Permits that are held for an unlimited time, such as open connections. Each owner is limited to `maxOfOwner`. */
export function createSemaphore({ max, maxOfOwner }: { max: number; maxOfOwner: number }): Semaphore {
  const ofOwner = new Map<string, number>();
  let taken = 0;
  return {
    isFull: () => taken >= max,
    hasMost: (owner) => (ofOwner.get(owner) ?? 0) >= maxOfOwner,
    take(owner) {
      ofOwner.set(owner, (ofOwner.get(owner) ?? 0) + 1);
      taken += 1;
      return () => {
        taken -= 1;
        const left = ofOwner.get(owner)! - 1;
        if (left > 0) ofOwner.set(owner, left);
        else ofOwner.delete(owner);
      };
    },
  };
}
