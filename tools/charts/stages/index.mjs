import { dependencies } from './dependencies.mjs';
import { examples } from './examples.mjs';
import { findings } from './findings.mjs';
import { lint } from './lint.mjs';
import { manifests } from './manifests.mjs';
import { readme } from './readme.mjs';
import { shared } from './shared.mjs';
import { suites } from './suites.mjs';

/** In this order. Each resolves with `[{ name, problem? }]`, one for each thing that it checked. */
export const stages = { shared, dependencies, lint, suites, examples, readme, manifests, findings };

/** Those that need more than the programs built with Go. */
export const needPython = ['manifests', 'findings'];
