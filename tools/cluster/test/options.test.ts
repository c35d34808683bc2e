import { describe, expect, it } from '@jest/globals';
import { readOptions } from '../src/options.js';

describe('the options of the cluster test', () => {
  it('refuses an unknown phase', () => {
    expect(() => readOptions(['--skip-images', 'instal'])).toThrow('unknown phase "instal"; the phases are install,');
  });

  it('refuses to begin without a way for images into the cluster', () => {
    expect(() => readOptions(['install'])).toThrow('choose how the cluster gets the images: --load COMMAND, --push');
  });

  it('refuses an unknown option', () => {
    expect(() => readOptions(['--skip-image'])).toThrow("Unknown option '--skip-image'");
  });

  it('does all phases by default, and those that are named in the order of an installation', () => {
    const all = readOptions(['--load', 'kind load image-archive']);
    expect(all).toMatchObject({ load: 'kind load image-archive', namespace: 'dtplatform-test', skipImages: false });
    expect(all).toHaveProperty('phases.0', 'install');
    expect(readOptions(['--skip-images', 'tour', 'install'])).toMatchObject({ phases: ['install', 'tour'] });
  });
});
