import { describe, it } from '@jest/globals';
import { expectSamePaths } from '@dtplatform/testing';
import { FileSet } from '../src/filesets/file-set.js';
import { fileSetModel } from '../src/filesets/file-sets.store.js';
import { Load } from '../src/filestore/load.js';
import { loadModel } from '../src/filestore/load.model.js';

describe('the model of loads', () => {
  it('has the fields of its entity', () => expectSamePaths(loadModel, Load));
});

describe('the model of file sets', () => {
  it('has the fields of its entity', () => expectSamePaths(fileSetModel, FileSet));
});
