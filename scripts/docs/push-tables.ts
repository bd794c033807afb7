/**
 * The tables of docs/push.md: the effect of each response that Google and Apple document on the
 * notification, its subscription and its credential, computed by the rules of the service.
 */
import { REASONS } from '../../emulators/apns/reasons.ts'
import {
  type Change,
  type CredentialEffect,
  effectOf,
} from '../../src/modules/push/dispatch/effects.ts'
import { outcomeOfApns } from '../../src/modules/push/providers/apns-outcome.ts'
import { outcomeOfFcm } from '../../src/modules/push/providers/fcm-outcome.ts'
import type { SendResult } from '../../src/modules/push/providers/port.ts'
import { renderTable } from './table.ts'

/** Tables by the name of their markers. */
export const pushTables = (): Record<string, string> => ({ 'push fcm': fcm(), 'push apns': apns() })

const NOW = new Date('2026-03-01T12:00:00Z')
const HEADER = ['Response', 'Notification', 'Subscription', 'Credential']

function fcm(): string {
  const rows = FCM.map(([answer, status, error]) => {
    const body = JSON.stringify({ error })
    return [answer, ...cellsOf(outcomeOfFcm({ ...ANSWERED, status, body }, NOW))]
  })
  const accepted = { ...ANSWERED, status: 200, body: '{"name":"projects/shop/messages/1"}' }
  return renderTable(HEADER, [['200', ...cellsOf(outcomeOfFcm(accepted, NOW))], ...rows])
}

const ANSWERED = { kind: 'answered', headers: {}, is_whole: true } as const
const TYPE = 'type.googleapis.com/google'
const of = (errorCode: string, ...more: object[]) => ({
  details: [{ '@type': `${TYPE}.firebase.fcm.v1.FcmError`, errorCode }, ...more],
})
const quota = (subject: string) => ({
  '@type': `${TYPE}.rpc.QuotaFailure`,
  violations: [{ subject, description: '' }],
})
const fault = (field: string) => ({
  '@type': `${TYPE}.rpc.BadRequest`,
  fieldViolations: [{ field }],
})

const FCM: readonly (readonly [answer: string, status: number, error: object])[] = [
  ['400 `INVALID_ARGUMENT`, about the token', 400, of('INVALID_ARGUMENT', fault('message.token'))],
  [
    '400 `INVALID_ARGUMENT`, about anything else',
    400,
    of('INVALID_ARGUMENT', fault('message.data')),
  ],
  ['404 `UNREGISTERED`', 404, of('UNREGISTERED')],
  ['403 `SENDER_ID_MISMATCH`', 403, of('SENDER_ID_MISMATCH')],
  ['429 `QUOTA_EXCEEDED`, for the project', 429, of('QUOTA_EXCEEDED', quota('project:1'))],
  ['429 `QUOTA_EXCEEDED`, for one device', 429, of('QUOTA_EXCEEDED', quota('device'))],
  ['503 `UNAVAILABLE`', 503, of('UNAVAILABLE')],
  ['500 `INTERNAL`', 500, of('INTERNAL')],
  ['500 `UNSPECIFIED_ERROR`', 500, of('UNSPECIFIED_ERROR')],
  ['401 `THIRD_PARTY_AUTH_ERROR`', 401, of('THIRD_PARTY_AUTH_ERROR')],
  ['401 without an FCM error code, twice', 401, { status: 'UNAUTHENTICATED' }],
  ['403 without an FCM error code', 403, { status: 'PERMISSION_DENIED' }],
]

/** Reasons with the same effect share a row. */
function apns(): string {
  const accepted = outcomeOfApns({ ...ANSWERED, status: 200, body: '' }, '', NOW)
  const rows = new Map([[cellsOf(accepted).join('|'), ['200']]])
  for (const [reason, status] of Object.entries(REASONS)) {
    const timestamp = status === 410 ? NOW.getTime() : undefined
    const body = JSON.stringify({ reason, timestamp })
    const cells = cellsOf(outcomeOfApns({ ...ANSWERED, status, body }, '', NOW)).join('|')
    rows.set(cells, [...(rows.get(cells) ?? []), `${status} \`${reason}\``])
  }
  return renderTable(
    HEADER,
    [...rows].map(([cells, answers]) => [answers.join(', '), ...cells.split('|')]),
  )
}

function cellsOf(outcome: SendResult): [string, string, string] {
  const question = { outcome, is_unsure: false, is_token_outdated: false, random: 0.5 }
  const first = effectOf({ ...question, attempts: 0 })
  const late = effectOf({ ...question, attempts: 100 })
  const { invalidation, credential } = first
  const isDated = outcome.kind === 'token_invalid' && outcome.invalid_since !== undefined
  const ended = isDated
    ? 'becomes invalid, unless its token was registered later'
    : 'becomes invalid'
  return [
    changeText(first.change, late.change?.status === 'failed'),
    invalidation === undefined ? '' : `${ended}${reasonOf(invalidation.reason, outcome)}`,
    credentialText(credential),
  ]
}

const reasonOf = (reason: string, outcome: SendResult): string =>
  'reason' in outcome && outcome.reason !== reason ? ` (\`${reason}\`)` : ''

function changeText(change: Change | undefined, isEnded: boolean): string {
  if (change === undefined) return 'stays pending'
  if (change.status !== 'pending') return change.status
  if (change.is_unsure) return 'retried once'
  return isEnded ? 'retried, at most ten attempts' : 'retried until it expires'
}

function credentialText(effect: CredentialEffect | undefined): string {
  switch (effect?.kind) {
    case undefined:
      return ''
    case 'accepted':
      return '`Active`'
    case 'rejected':
      return '`Needs attention`'
    case 'throttled':
      return `paused for ${effect.pause_ms / 1000} s, or for the time in \`Retry-After\``
    case 'unavailable':
      return 'paused, for longer each time'
    case 'failing':
      return 'paused after eight such responses without an accepted notification'
  }
}
