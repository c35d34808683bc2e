import { z } from 'zod';
import { pageOf, pagingParameters } from '@dtplatform/http';
import { Consent, ShownConsent } from '../../domain/consents/consent.js';

export const ListConsentsQuery = z.object(pagingParameters());
export const ConsentPage = pageOf(ShownConsent).meta({ id: 'ConsentPage', description: 'A page of consents.' });
export const ConsentParams = z.object({ appId: Consent.shape._appId });
