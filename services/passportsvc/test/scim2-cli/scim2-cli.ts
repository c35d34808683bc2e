import { fileURLToPath } from 'node:url';
import { installPythonTools } from '@dtplatform/testing';

const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));

/** Installs scim2-cli in the versions of `requirements.txt`, once for all clones. @returns a function that runs it */
export async function installScim2Cli() {
  const python = await installPythonTools('scim-tools', 'scim2-cli', REQUIREMENTS);
  // Runs it as a module: installed scripts contain the path of their installation.
  return (args: string[], env: NodeJS.ProcessEnv) => python(['-c', 'from scim2_cli import cli; cli()', ...args], env);
}
