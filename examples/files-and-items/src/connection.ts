const PROBE_EVERY_MS = 3_000;

let isWatching = false;

/** Calls `onReturn` once the platform can be reached again. */
export function watchConnection(url: string, onReturn: () => void): void {
  if (isWatching) return;
  isWatching = true;
  const probe = async () => {
    // Any response will do, even one that the page must not read.
    const isBack = await fetch(url, { mode: 'no-cors', cache: 'no-store' }).then(
      () => true,
      () => false,
    );
    if (!isBack) return void setTimeout(() => void probe(), PROBE_EVERY_MS);
    isWatching = false;
    onReturn();
  };
  void probe();
}
