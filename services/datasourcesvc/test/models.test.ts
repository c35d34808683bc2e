import { describe, it } from '@jest/globals';
import { expectSamePaths } from '@dtplatform/testing';
import { ComponentCall } from '../src/domain/componentcalls/component-call.js';
import { Orchestrator } from '../src/domain/orchestrators/orchestrator.js';
import { Run } from '../src/domain/orchrun/run.js';
import { componentCallModel } from '../src/store/componentcalls/component-call.model.js';
import { orchestratorModel } from '../src/store/orchestrators/orchestrator.model.js';
import { runModel } from '../src/store/orchrun/run.model.js';

describe('the models', () => {
  it.each([
    ['orchestrators', orchestratorModel, Orchestrator],
    ['runs', runModel, Run],
    ['component calls', componentCallModel, ComponentCall],
  ])('of %s have the fields of their entities', (_name, model, entity) => expectSamePaths(model, entity));
});
