import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import { pageOf, pagingParameters } from '@dtplatform/http';
import { ShownTemplate, TemplateName } from '../../domain/notification-templates/notification-template.js';

export const ListTemplatesQuery = z.object({ _name: TemplateName, ...pagingParameters() });
export const TemplateParams = z.object({ id: ResourceId });
export const TemplatePage = pageOf(ShownTemplate);
