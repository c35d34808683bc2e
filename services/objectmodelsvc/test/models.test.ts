import { it } from '@jest/globals';
import { expectSamePaths } from '@dtplatform/testing';
import { Permission } from '../src/domain/permissions/permission.js';
import { permissionModel } from '../src/store/permissions/permission.model.js';

it('the model of permissions has the fields of the entity', () => expectSamePaths(permissionModel, Permission));
