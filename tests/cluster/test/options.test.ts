import { describe, expect, it } from '@jest/globals';
import { readOptions } from '../src/options.js';
import { readSkaffoldOptions } from '../src/skaffold/options.js';

describe('options of the cluster test', () => {
  it.each([
    [['--skip-images', 'instal'], 'unknown phase "instal"; the phases are install,'],
    [['install'], 'choose how the cluster gets the images: --load COMMAND, --push'],
    [['--skip-image'], "Unknown option '--skip-image'"],
    [['--skip-images', '--node-ports', '30080'], '--node-ports 30080: expected two ports'],
  ])('reject %j', (argv, problem) => expect(() => readOptions(argv)).toThrow(problem));

  it("select all phases but measurements and filling a node's memory by default, named phases in their fixed order", () => {
    const all = readOptions(['--load', 'kind load image-archive']);
    expect(all).toMatchObject({ load: 'kind load image-archive', namespace: 'dtplatform-test', skipImages: false });
    expect(all).toHaveProperty('phases.0', 'install');
    for (const phase of ['sizing', 'node-memory'])
      expect(all).not.toHaveProperty('phases', expect.arrayContaining([phase]));
    expect(readOptions(['--skip-images', 'sizing', 'install'])).toMatchObject({ phases: ['install', 'sizing'] });
  });
});

it('options of the Skaffold test select both phases by default, and named phases in their fixed order', () => {
  expect(readSkaffoldOptions([])).toMatchObject({ phases: ['dev', 'debug'], namespace: 'dtplatform-skaffold' });
  expect(readSkaffoldOptions(['debug', 'dev'])).toMatchObject({ phases: ['dev', 'debug'] });
  expect(readSkaffoldOptions(['debug'])).toMatchObject({ phases: ['debug'] });
  expect(() => readSkaffoldOptions(['develop'])).toThrow('unknown phase "develop"; the phases are dev, debug');
});
