import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { parse } from 'yaml';

interface Step {
  id?: string;
  if?: string;
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
  env?: Record<string, string>;
}
interface Job {
  if?: string;
  outputs?: Record<string, string>;
  strategy?: { matrix: Record<string, string> };
  steps: Step[];
}
type Values = Record<string, string>;
export type Action = (inputs: Values) => Values;

interface Options {
  /** Where the commands run. */
  root: string;
  /** Added to the environment of each command. */
  env: NodeJS.ProcessEnv;
  context: object;
  /** What stands in for an action, by its name without a version. Others do nothing. */
  actions: Record<string, Action>;
}

/** Runs the jobs of a GitHub workflow in order: the commands as they are, and functions instead of actions. */
export function runWorkflow(file: string, { root, env, context, actions }: Options): void {
  const workflow = parse(readFileSync(file, 'utf8')) as { env: Values; jobs: Record<string, Job> };
  const needs: Record<string, object> = {};
  for (const [name, job] of Object.entries(workflow.jobs)) {
    const about = { ...context, env: workflow.env, needs };
    if (!isMet(job.if, about)) continue;
    const [key, list] = Object.entries(job.strategy?.matrix ?? {})[0] ?? [];
    const matrices = key ? (evaluate(list!, about) as unknown[]).map((each) => ({ [key]: each })) : [{}];
    for (const matrix of matrices) {
      const steps = runSteps(job.steps, { ...about, matrix });
      needs[name] = { outputs: evaluateAll(job.outputs, { ...about, steps }) };
    }
  }

  function runSteps(all: Step[], about: object): Record<string, object> {
    const steps: Record<string, object> = {};
    for (const step of all) {
      const now = { ...about, steps };
      if (!isMet(step.if, now)) continue;
      const action = step.uses && actions[step.uses.split('@')[0]!];
      const outputs = step.run
        ? runCommands(step.run, { ...workflow.env, ...evaluateAll(step.env, now) })
        : ((action && action(evaluateAll(step.with, now))) ?? {});
      if (step.id) steps[step.id] = { outputs };
    }
    return steps;
  }

  function runCommands(commands: string, given: Values): Values {
    const folder = mkdtempSync(path.join(tmpdir(), 'dtplatform-step-'));
    const output = path.join(folder, 'output');
    writeFileSync(output, '');
    const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', commands], {
      cwd: root,
      env: { ...process.env, ...env, ...given, GITHUB_OUTPUT: output },
      encoding: 'utf8',
    });
    const lines = readFileSync(output, 'utf8').split('\n').filter(Boolean);
    rmSync(folder, { recursive: true });
    if (status !== 0) throw new Error(`${commands}\nexited with ${status}:\n${stdout}\n${stderr}`);
    return Object.fromEntries(lines.map((line) => /^([^=]+)=(.*)$/.exec(line)!.slice(1) as [string, string]));
  }
}

const evaluateAll = (values: Record<string, unknown> = {}, about: object): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(evaluate(String(value), about))]));

/** Replaces the expressions of a text; a text that is one expression becomes its value. */
function evaluate(text: string, about: object): unknown {
  const whole = /^\$\{\{((?:(?!\}\}).)*)\}\}$/s.exec(text);
  if (whole) return valueOf(whole[1]!, about) ?? '';
  return text.replace(/\$\{\{(.*?)\}\}/g, (_, expression: string) => valueOf(expression, about) ?? '');
}

const isMet = (condition: string | undefined, about: object): boolean =>
  condition === undefined || Boolean(valueOf(condition.replace(/^\$\{\{|\}\}$/g, ''), about));

/** The value of an expression, which must mean the same in JavaScript. */
function valueOf(expression: string, about: object): string | undefined {
  const contains = (list: unknown[], value: unknown) => list.includes(value);
  return runInNewContext(expression, { ...about, contains, fromJSON: JSON.parse }) as string | undefined;
}
