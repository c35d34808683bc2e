import { it } from '@jest/globals';
import { expectSamePaths } from '@dtplatform/testing';
import { Permission } from '../src/permissions/permission.js';
import { permissionModel } from '../src/permissions/permission.model.js';

it('the model of permissions has the fields of the entity', () => expectSamePaths(permissionModel, Permission));
