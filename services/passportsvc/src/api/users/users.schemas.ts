import { z } from 'zod';
import { Account } from '../../domain/users/account.js';

export const AccountParams = z.object({ id: Account.shape._id });
