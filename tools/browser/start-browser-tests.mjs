import startBackends from '../stack/jest/start-backends.mjs';
import { findChromium } from './find-chromium.mjs';

/** Global setup of the browser tests: finds Chromium and starts the backends. */
export default async function startBrowserTests() {
  process.env.CHROMIUM = await findChromium();
  await startBackends();
}
