/**
 * Turns requests for a new password into mails. A request does the same work for every address, because
 * accounts are looked up here, after its response.
 */
import type { Clock } from '../../../platform/clock.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { HOUR_MS } from '../../../platform/time-units.ts'
import type { AccountMails } from '../mail/account-mails.ts'
import { SAME_EMAIL_MAX } from '../passwords.ts'
import { listAccountsOfEmail, listOrganizationsOfUser } from '../store.ts'
import { countResets, insertReset, lockUser, takeResetRequests } from './store.ts'

export const RESET_MS = HOUR_MS
/** Mails with a link for one account within an hour. Further requests send none. */
export const RESETS_MAX = 3
const REQUESTS_TOGETHER_MAX = 50
const NAMED_MAX = 5

type Dependencies = { db: Database; mails: AccountMails; clock: Clock }

/** @returns whether there may be more */
export async function expandResetRequests({ db, mails, clock }: Dependencies): Promise<boolean> {
  return await db.transaction().execute(async (tx) => {
    const recipients = await takeResetRequests(tx, REQUESTS_TOGETHER_MAX)
    for (const email of recipients) await expand(tx, { mails, clock }, email)
    return recipients.length === REQUESTS_TOGETHER_MAX
  })
}

async function expand(
  tx: Db,
  { mails, clock }: Pick<Dependencies, 'mails' | 'clock'>,
  email: string,
): Promise<void> {
  const now = clock.now()
  const accounts = await listAccountsOfEmail(tx, email, SAME_EMAIL_MAX)
  for (const user of accounts) {
    await lockUser(tx, user.id)
    const since = new Date(now.getTime() - RESET_MS)
    if ((await countResets(tx, user.id, since)) >= RESETS_MAX) continue
    const expires_at = new Date(now.getTime() + RESET_MS)
    // Several accounts can have one address; their organizations distinguish them.
    const organizations = accounts.length === 1 ? '' : await namesOf(tx, user.id)
    const mail = { kind: 'password_reset', to: user.email, subject_id: user.id } as const
    const token_hash = await mails.addLink(tx, { ...mail, details: { organizations }, expires_at })
    await insertReset(tx, {
      token_hash,
      user_id: user.id,
      org_id: null,
      created_at: now,
      expires_at,
    })
  }
}

const namesOf = async (tx: Db, userId: string): Promise<string> =>
  (await listOrganizationsOfUser(tx, userId))
    .slice(0, NAMED_MAX)
    .map(({ name }) => name)
    .join(', ') || 'no organization'
