export interface Semaphore {
  /** Whether all places are taken. */
  isFull(): boolean;
  /** Whether an owner has as many places as one may have. */
  hasMost(owner: string): boolean;
  /** Takes a place, which the caller knows to be free. @returns gives it back, once */
  take(owner: string): () => void;
}

/** Places that owners take for as long as they like, such as open connections. No owner gets more than its share. */
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
