import { defineModel, id, json } from '@dtplatform/mongo';
import type { BrowserState } from '../../domain/oauth/browser-state.js';

const paths = { _id: id, uid: String, state: json, expiresAt: Date, isEnded: Boolean };

export const sessionModel = defineModel<BrowserState>('oauth_sessions', paths);
export const interactionModel = defineModel<BrowserState>('oauth_interactions', paths);

sessionModel.schema.index({ uid: 1 }, { name: 'uid' }).index({ 'state.accountId': 1 }, { name: 'account' });
// Sign-ins that have not reached their app; others have no user yet.
interactionModel.schema.index({ 'state.result.login.accountId': 1 }, { name: 'account', sparse: true });
for (const { schema } of [sessionModel, interactionModel]) {
  schema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: 0 });
}
