/** Ends the links that were sent for an account, because its password or its address is another one now. */
import type { Db } from '../../platform/postgres/db.ts'
import { deleteMailsAbout } from './mail/queue.store.ts'

const KINDS = ['password_reset', 'email_change_old', 'email_change_new']

export async function endLinksOf(tx: Db, userId: string): Promise<void> {
  await tx.deleteFrom('password_resets').where('user_id', '=', userId).execute()
  await tx.deleteFrom('email_changes').where('user_id', '=', userId).execute()
  await deleteMailsAbout(tx, userId, KINDS)
}
