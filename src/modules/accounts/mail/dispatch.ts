/** Sends the e-mails about accounts. A crash or a lost answer sends a mail again, with the same link and id. */
import type { Clock } from '../../../platform/clock.ts'
import { derivedToken } from '../../../platform/crypto/tokens.ts'
import {
  createDispatcher,
  type Dispatcher,
  retryDelayMs,
} from '../../../platform/dispatch/index.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/log.ts'
import { mailDomain } from '../../../platform/mail/mail-domain.ts'
import type { Mailer, MailOutcome } from '../../../platform/mail/mailer.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { MINUTE_MS, SECOND_MS } from '../../../platform/time-units.ts'
import { expandResetRequests } from '../password-reset/expansion.ts'
import type { AccountMails } from './account-mails.ts'
import { htmlOf, textOf } from './formats.ts'
import { type ClaimedMail, claimMails, settleMail } from './queue.store.ts'
import { contentOf, LINK_PREFIXES } from './templates.ts'

export type MailDispatchOptions = {
  db: Database
  newId: NewId
  clock: Clock
  log: Log
  mails: AccountMails
  mailer: Mailer
  link_secret: Buffer
  /** Address of the service, which is a setting: requests do not choose where links lead. */
  site: string
  poll_ms: number
  /** Called with the outcome of each attempt. */
  observe?: (outcome: MailOutcome['kind']) => void
}

const DEADLINE_MS = 15_000
/** Leaves time for writing the outcome. */
const LEASE_MS = DEADLINE_MS + 45_000
const IN_FLIGHT_MAX = 16
const SCHEDULE_MS = [10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 60 * MINUTE_MS]

export function createMailDispatcher(options: MailDispatchOptions): Dispatcher {
  const { db, newId, clock, log, mails, mailer, site, link_secret } = options
  const send = async ({ id, ...mail }: ClaimedMail): Promise<MailOutcome> => {
    const content = contentOf(mail, site, (kind) =>
      derivedToken(LINK_PREFIXES[kind], link_secret, id),
    )
    if (!content || mail.expires_at <= clock.now()) {
      return { kind: 'refused', code: 0, response: 'expired', is_final: true }
    }
    const message_id = `<${id}@${mailDomain(site)}>`
    const texts = { subject: content.subject, text: textOf(content), html: htmlOf(content) }
    return await mailer.send({ to: [mail.recipient], ...texts, message_id }, DEADLINE_MS)
  }
  return createDispatcher<ClaimedMail, MailOutcome>({
    name: 'account_mails',
    log,
    claim: async ({ jobs }) => {
      const isMore = await expandResetRequests({ db, mails, clock })
      const lease = { lease_id: newId(clock.now()), lease_ms: LEASE_MS, mails_max: jobs }
      const claimed = await claimMails(db, lease)
      return { jobs: claimed, is_more: isMore || claimed.length > 0 }
    },
    groupsOf: () => [],
    send: async (mail) => await send(mail),
    settle: async (sent) => {
      for (const { job, outcome } of sent) {
        const delay = delayAfter(job, outcome)
        await settleMail(db, job, delay)
        options.observe?.(outcome.kind)
        // Without the address, because logs can last longer than accounts.
        if (outcome.kind !== 'accepted' && delay === null) {
          log.warn({ kind: job.kind, attempts: job.attempts }, 'e-mail about an account given up')
        }
      }
    },
    in_flight_max: IN_FLIGHT_MAX,
    poll_ms: options.poll_ms,
  })
}

/** @returns null when there is no further attempt */
function delayAfter({ attempts }: ClaimedMail, outcome: MailOutcome): number | null {
  if (outcome.kind === 'accepted') return null
  if (outcome.kind === 'refused' && outcome.is_final) return null
  return retryDelayMs({ schedule_ms: SCHEDULE_MS, attempts, random: Math.random() }) ?? null
}
