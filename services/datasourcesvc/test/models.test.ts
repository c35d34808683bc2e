import { describe, it } from '@jest/globals';
import { expectSamePaths } from '@dtplatform/testing';
import { ComponentCall } from '../src/componentcalls/component-call.js';
import { componentCallModel } from '../src/componentcalls/component-calls.store.js';
import { Orchestrator } from '../src/orchestrators/orchestrator.js';
import { orchestratorModel } from '../src/orchestrators/orchestrator.model.js';
import { Run } from '../src/orchrun/run.js';
import { runModel } from '../src/orchrun/run.model.js';

describe('the models', () => {
  it.each([
    ['orchestrators', orchestratorModel, Orchestrator],
    ['runs', runModel, Run],
    ['component calls', componentCallModel, ComponentCall],
  ])('of %s have the fields of their entities', (_name, model, entity) => expectSamePaths(model, entity));
});
