import { describe, expect, it } from '@jest/globals';
import { readOptions } from '../src/options.js';

describe('options of the cluster test', () => {
  it('reject an unknown phase', () => {
    expect(() => readOptions(['--skip-images', 'instal'])).toThrow('unknown phase "instal"; the phases are install,');
  });

  it('require a way to load images into the cluster', () => {
    expect(() => readOptions(['install'])).toThrow('choose how the cluster gets the images: --load COMMAND, --push');
  });

  it('reject an unknown option', () => {
    expect(() => readOptions(['--skip-image'])).toThrow("Unknown option '--skip-image'");
  });

  it('reject node ports that are not two numbers', () => {
    expect(() => readOptions(['--skip-images', '--node-ports', '30080'])).toThrow(
      '--node-ports 30080: expected two ports',
    );
  });

  it('select all phases by default, and named phases in their fixed order', () => {
    const all = readOptions(['--load', 'kind load image-archive']);
    expect(all).toMatchObject({ load: 'kind load image-archive', namespace: 'dtplatform-test', skipImages: false });
    expect(all).toHaveProperty('phases.0', 'install');
    expect(readOptions(['--skip-images', 'tour', 'install'])).toMatchObject({ phases: ['install', 'tour'] });
  });

  it("select measurements, and filling a node's memory, only on request", () => {
    for (const phase of ['sizing', 'node-memory'])
      expect(readOptions(['--skip-images'])).not.toHaveProperty('phases', expect.arrayContaining([phase]));
    expect(readOptions(['--skip-images', 'sizing', 'install'])).toMatchObject({ phases: ['install', 'sizing'] });
  });
});
