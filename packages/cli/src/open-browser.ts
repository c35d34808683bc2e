import { spawn } from 'node:child_process';

/** Opens a page in the user's browser, if there is one. The address is printed as well. */
export function openBrowser(url: string): void {
  const [program, ...args] = opener(process.platform);
  // No shell: the URL is one argument, whatever it contains.
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined).unref();
}

function opener(platform: NodeJS.Platform): [string, ...string[]] {
  if (process.env.BROWSER) return [process.env.BROWSER];
  if (platform === 'darwin') return ['open'];
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
