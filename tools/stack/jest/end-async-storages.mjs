import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Runs before each test file, and ends the asynchronous storages of the files before it: every one that is left costs
 * something at every promise of this worker.
 */
const KNOWN = Symbol.for('dtplatform.async-storages');
const known = (AsyncLocalStorage[KNOWN] ??= rememberStorages());
for (const storage of known) storage.disable();
known.clear();

function rememberStorages() {
  const storages = new Set();
  for (const name of ['run', 'enterWith']) {
    const original = AsyncLocalStorage.prototype[name];
    AsyncLocalStorage.prototype[name] = function (...args) {
      storages.add(this);
      return original.apply(this, args);
    };
  }
  return storages;
}
