/** Sends one message through its channel. Every kind has a deadline, and none throws. */
import type { Clock } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/sealed.ts'
import { mailDomain } from '../../../platform/mail/mail-domain.ts'
import type { Mailer } from '../../../platform/mail/mailer.ts'
import type { GuardedPost } from '../../../platform/net/guarded-post.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import {
  htmlOf,
  pagerdutyBody,
  slackBody,
  teamsBody,
  WEBHOOK_TYPE,
  webhookBody,
} from '../content/formats.ts'
import { type PagesOf, type Summary, summaryOf, textOf } from '../content/summary.ts'
import { findMemberEmail } from '../member-email.store.ts'
import type { ClaimedMessage } from '../queue.store.ts'
import { type Attempt, attemptOfMail, attemptOfPost, failed, refused } from './attempt.ts'
import { type BrowserSecret, browserRequest, endBrowser } from './browser.ts'

/** Sealed members of a channel; which members there are depends on the kind. */
export type ChannelSecret = {
  url?: string
  secret?: string
  routing_key?: string
  browser?: BrowserSecret
}

export const secretContext = (channelId: string): string => `notification_channel:${channelId}`

export type PushRequest = {
  application_id: string
  external_user_ids: string[]
  title: string
  body: string
  deep_link: string
}

export type SendingDependencies = {
  db: Database
  directory: Database
  sealer: Pick<Sealer, 'open'>
  clock: Clock
  post: GuardedPost['post']
  /** Headers with the signature of a delivery, as those of events have it. */
  sign: (delivery: {
    secret: string
    body: string
    event_id: string
    event_type: string
    now: Date
  }) => Record<string, string>
  /** Undefined where the operator configured no mail server. */
  mailer: Mailer | undefined
  pagesOf: PagesOf
  /** Writes a push message, once for each key. @throws AppError with the reason */
  push: (orgId: string, key: string, request: PushRequest) => Promise<{ message_id: string }>
}

export const DEADLINE_MS = 15_000
const RESPONSE_BYTES_MAX = 2048
const PUSH_BODY_MAX_CHARS = 1000

type Sendable = Pick<
  ClaimedMessage,
  | 'org_id'
  | 'channel_id'
  | 'id'
  | 'items'
  | 'created_at'
  | 'kind'
  | 'config'
  | 'sealed'
  | 'user_id'
  | 'browser_of'
>

export async function sendMessage(
  deps: SendingDependencies,
  message: Sendable,
  signal: AbortSignal,
): Promise<Attempt> {
  const pages = deps.pagesOf(message.org_id)
  const summary = summaryOf(message.items, pages)
  try {
    if (message.kind === 'email') return await sendMail(deps, message, summary)
    if (message.kind === 'push') return await sendPush(deps, message, summary)
    const secret = await openSecret(deps, message)
    const request = await requestOf(deps, message, { summary, pages, secret })
    if (request === undefined) {
      await endBrowser(deps.db, message)
      return refused('The session of the browser has ended')
    }
    const outcome = await deps.post({
      ...request,
      deadline_ms: DEADLINE_MS,
      response_bytes_max: RESPONSE_BYTES_MAX,
      signal,
      partition: message.channel_id,
    })
    const attempt = attemptOfPost(outcome, deps.clock.now())
    const isGone = attempt.response_status === 404 || attempt.response_status === 410
    if (message.kind === 'browser' && isGone) await endBrowser(deps.db, message)
    return attempt
  } catch (error) {
    return failed(`The message could not be sent: ${reasonOf(error)}`)
  }
}

async function openSecret(
  { sealer }: SendingDependencies,
  { channel_id, sealed }: Sendable,
): Promise<ChannelSecret> {
  const opened = await sealer.open(sealed ?? '', secretContext(channel_id))
  return JSON.parse(String(opened)) as ChannelSecret
}

const JSON_HEADERS = { 'content-type': 'application/json', 'user-agent': 'Vigil-Notifications' }

/** Undefined when the message must not be sent. */
async function requestOf(
  { directory, clock, sign }: SendingDependencies,
  message: Sendable,
  { summary, pages, secret }: { summary: Summary; pages: string; secret: ChannelSecret },
) {
  const { url = '', browser } = secret
  const [item] = message.items
  switch (message.kind) {
    case 'teams':
      return { url, headers: JSON_HEADERS, body: teamsBody(summary) }
    case 'pagerduty': {
      const body = item ? pagerdutyBody(item, summary, secret.routing_key ?? '') : ''
      return { url, headers: JSON_HEADERS, body }
    }
    case 'webhook': {
      const body = webhookBody(message, summary, pages)
      const signing = { secret: secret.secret ?? '', body, now: clock.now() }
      const event = { event_id: message.id, event_type: WEBHOOK_TYPE }
      return { url, headers: sign({ ...signing, ...event }), body }
    }
    case 'browser':
      return (
        browser &&
        (await browserRequest(
          { directory, now: clock.now(), pages },
          { ...message, browser, summary },
        ))
      )
    case 'slack':
    case 'email':
    case 'push':
      return { url, headers: JSON_HEADERS, body: slackBody(summary) }
  }
}

async function sendMail(
  { mailer, directory, pagesOf }: SendingDependencies,
  { id, org_id, user_id, config }: Sendable,
  summary: Summary,
): Promise<Attempt> {
  // A member without a mail server has browsers.
  const without = user_id === null ? failed : refused
  if (mailer === undefined) return without('This installation has no mail server (VIGIL_SMTP_URL)')
  const own = user_id === null ? undefined : await findMemberEmail(directory, org_id, user_id)
  if (user_id !== null && own === undefined) return refused('The person is not a member any more')
  const startedAt = performance.now()
  const outcome = await mailer.send(
    {
      to: own === undefined ? (config.to ?? []) : [own],
      subject: summary.title,
      text: textOf(summary),
      html: htmlOf(summary),
      message_id: `<${id}@${mailDomain(pagesOf(org_id))}>`,
    },
    DEADLINE_MS,
  )
  return attemptOfMail(outcome, Math.round(performance.now() - startedAt))
}

async function sendPush(
  { push }: SendingDependencies,
  { org_id, id, config }: Sendable,
  summary: Summary,
): Promise<Attempt> {
  const startedAt = performance.now()
  const [first] = summary.lines
  const { message_id } = await push(org_id, `notification-${id}`, {
    application_id: config.application_id ?? '',
    external_user_ids: config.external_user_ids ?? [],
    title: summary.title.slice(0, PUSH_BODY_MAX_CHARS),
    body: (first?.detail ?? summary.title).slice(0, PUSH_BODY_MAX_CHARS),
    deep_link: summary.url,
  })
  return {
    verdict: 'accepted',
    response_status: null,
    response_body: `Push message ${message_id}`,
    error: null,
    latency_ms: Math.round(performance.now() - startedAt),
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && error.message !== '' ? error.message : 'unknown error'
