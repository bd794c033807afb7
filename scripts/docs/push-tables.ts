/**
 * The tables of docs/push.md: what becomes of a notification, its subscription and its credential by each
 * answer that Google and Apple document, from the rules that decide it.
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

/** By the name of their markers. */
export function pushTables(): Record<string, string> {
  return { 'push fcm': fcm(), 'push apns': apns() }
}

const NOW = new Date('2026-03-01T12:00:00Z')
const HEADER = ['Answer', 'The notification', 'The subscription', 'The credential']

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
const codeOf = (errorCode: string) => ({ '@type': `${TYPE}.firebase.fcm.v1.FcmError`, errorCode })
const quota = (subject: string) => ({
  '@type': `${TYPE}.rpc.QuotaFailure`,
  violations: [{ subject, description: '' }],
})
const fault = (field: string) => ({
  '@type': `${TYPE}.rpc.BadRequest`,
  fieldViolations: [{ field }],
})

const FCM: readonly (readonly [answer: string, status: number, error: object])[] = [
  [
    '400 `INVALID_ARGUMENT`, about the token',
    400,
    { details: [codeOf('INVALID_ARGUMENT'), fault('message.token')] },
  ],
  [
    '400 `INVALID_ARGUMENT`, about anything else',
    400,
    { details: [codeOf('INVALID_ARGUMENT'), fault('message.data')] },
  ],
  ['404 `UNREGISTERED`', 404, { details: [codeOf('UNREGISTERED')] }],
  ['403 `SENDER_ID_MISMATCH`', 403, { details: [codeOf('SENDER_ID_MISMATCH')] }],
  [
    '429 `QUOTA_EXCEEDED`, of the project',
    429,
    { details: [codeOf('QUOTA_EXCEEDED'), quota('project:1')] },
  ],
  [
    '429 `QUOTA_EXCEEDED`, of one device',
    429,
    { details: [codeOf('QUOTA_EXCEEDED'), quota('device')] },
  ],
  ['503 `UNAVAILABLE`', 503, { details: [codeOf('UNAVAILABLE')] }],
  ['500 `INTERNAL`', 500, { details: [codeOf('INTERNAL')] }],
  ['500 `UNSPECIFIED_ERROR`', 500, { details: [codeOf('UNSPECIFIED_ERROR')] }],
  ['401 `THIRD_PARTY_AUTH_ERROR`', 401, { details: [codeOf('THIRD_PARTY_AUTH_ERROR')] }],
  ['401 without such a code, twice', 401, { status: 'UNAUTHENTICATED' }],
  ['403 without such a code', 403, { status: 'PERMISSION_DENIED' }],
]

/** Reasons that mean the same share a row. */
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
  const ended = isDated ? 'ends, unless its token was registered since' : 'ends'
  return [
    changeText(first.change, late.change?.status === 'failed'),
    invalidation === undefined ? '' : `${ended}${reasonOf(invalidation.reason, outcome)}`,
    credentialText(credential),
  ]
}

const reasonOf = (reason: string, outcome: SendResult): string =>
  'reason' in outcome && outcome.reason !== reason ? `, as \`${reason}\`` : ''

function changeText(change: Change | undefined, isEnded: boolean): string {
  if (change === undefined) return 'waits'
  if (change.status !== 'pending') return change.status
  if (change.is_unsure) return 'tried once more'
  return isEnded ? 'tried again, ten attempts at most' : 'tried again, until its time is over'
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
      return `paused for ${effect.pause_ms / 1000} s, or as long as \`Retry-After\` says`
    case 'away':
      return 'paused, each time for longer'
    case 'failing':
      return 'paused when eight together say so and none is accepted'
  }
}
