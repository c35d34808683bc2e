import { describe, it } from '@jest/globals';
import { expectSamePaths } from '@dtplatform/testing';
import { FileSet } from '../src/domain/filesets/file-set.js';
import { Load } from '../src/domain/filestore/load.js';
import { fileSetModel } from '../src/store/filesets/file-set.model.js';
import { loadModel } from '../src/store/filestore/load.model.js';

describe('the model of loads', () => {
  it('has the fields of its entity', () => expectSamePaths(loadModel, Load));
});

describe('the model of file sets', () => {
  it('has the fields of its entity', () => expectSamePaths(fileSetModel, FileSet));
});
