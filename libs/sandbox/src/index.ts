export { createSandbox } from './sandbox.js';
export type { Sandbox, SandboxOptions } from './sandbox.js';
export type { Script, ScriptOutcome } from './script.js';
export { ScriptError } from './script-error.js';
export type { ScriptErrorCode } from './script-error.js';
export type { ScriptLimits } from './limits.js';
export { SHOW_VALUE } from './show-value.js';
