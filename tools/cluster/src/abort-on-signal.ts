/** A signal that is aborted by Ctrl-C or SIGTERM. */
export function abortOnSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => controller.abort(new Error(`interrupted by ${name}`)));
  return controller.signal;
}
