import { ResourceId } from '@dtplatform/contracts';
import { FileParams } from '../files/files.schemas.js';

export const PreviewParams = FileParams.extend({ previewId: ResourceId.describe('The id of the preview.') });
