import { describe, it } from '@jest/globals';
import { expectSamePaths } from '@dtplatform/testing';
import { Load } from '../src/domain/filestore/load.js';
import { loadModel } from '../src/store/filestore/load.model.js';

describe('the model of loads', () => {
  it('has the fields of its entity', () => expectSamePaths(loadModel, Load));
});
