/**
 * E-mails about accounts. They are rows that are committed with their cause. The token of a link is computed
 * from the id of the mail, so that every attempt sends the same one although no table contains it.
 */
import type { Clock } from '../../../platform/clock.ts'
import { derivedToken, hashToken } from '../../../platform/crypto/tokens.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { DAY_MS } from '../../../platform/time-units.ts'
import { insertMail } from './queue.store.ts'
import { LINK_PREFIXES, type LinkKind, type MailKind } from './templates.ts'

type NewMail = {
  kind: MailKind
  to: string
  details?: Record<string, string>
  /** An invitation or a user: the mail ends with it. */
  subject_id?: string
  /** The end of a link; notices are sent for a day at the most. */
  expires_at?: Date
}

export type AccountMails = {
  /** Writes a mail in the transaction of its cause. */
  add(tx: Db, mail: NewMail): Promise<void>
  /** As `add`, for a mail with a link. @returns the hash of its token */
  addLink(tx: Db, mail: NewMail & { kind: LinkKind }): Promise<Buffer>
}

const NOTICE_MS = DAY_MS

export function createAccountMails({
  newId,
  clock,
  link_secret,
}: {
  newId: NewId
  clock: Clock
  link_secret: Buffer
}): AccountMails {
  const insert = async (tx: Db, mail: NewMail): Promise<string> => {
    const now = clock.now()
    const { kind, to: recipient, details = {}, subject_id = null } = mail
    const id = newId(now)
    const expires_at = mail.expires_at ?? new Date(now.getTime() + NOTICE_MS)
    await insertMail(tx, { id, kind, recipient, details, subject_id, expires_at })
    return id
  }
  return {
    add: async (tx, mail) => void (await insert(tx, mail)),
    addLink: async (tx, mail) => {
      const id = await insert(tx, mail)
      return hashToken(derivedToken(LINK_PREFIXES[mail.kind], link_secret, id))
    },
  }
}
