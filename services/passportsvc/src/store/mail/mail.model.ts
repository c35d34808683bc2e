import { defineModel, id, number, text } from '@dtplatform/mongo';
import type { Mail } from '../../domain/mail/mail.js';

export const mailModel = defineModel<Mail>('mails', {
  _id: id,
  to: text,
  subject: text,
  text: String,
  html: String,
  status: text,
  createdAt: number,
  endedAt: Number,
  reason: String,
  expireAt: Date,
});

mailModel.schema
  .index({ status: 1, createdAt: 1 }, { name: 'status' })
  .index({ expireAt: 1 }, { name: 'expire', expireAfterSeconds: 0 });
