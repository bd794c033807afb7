/** `POST /3/device/{token}`: the checks in their order, and the delivery of the notification. */

import { randomUUID } from 'node:crypto'
import { MINUTE_MS } from '../../src/platform/time-units.ts'
import type { Connection, WireFault, WireReply, WireRequest } from '../http2-wire.ts'
import { applyDenial } from '../push-faults.ts'
import { putIntoInbox } from '../push-ledger.ts'
import type { Core, Key, Phone } from './core.ts'
import { idOf, type Notification, readHeaders } from './headers.ts'
import { checkProviderToken } from './provider-token.ts'
import { ApnsError, type ApnsReason, REASONS } from './reasons.ts'

const PATH = '/3/device/'
const TOKEN = /^[0-9a-f]{64,200}$/i

/** A reply, and its reason for the record of requests. */
export type Answer = { readonly reply: WireReply; readonly reason: ApnsReason | null }

export function answerSend(core: Core, request: WireRequest, connection: Connection): Answer {
  const scripted = core.faults.before()
  if (typeof scripted === 'string') return cut(scripted)
  const id = idOf(request)
  try {
    const token = readPath(request)
    const key = checkProviderToken(core, request.headers.authorization, connection)
    const notification = readHeaders(request)
    checkTopic(core, key, notification)
    const phone = findPhone(core, token, notification)
    const text = readPayload(request.body, notification)
    const errorOf = (reason: ApnsReason, retryAfterS: number | undefined) =>
      scriptedError(core, reason, retryAfterS)
    if (scripted) throw errorOf(scripted.code, scripted.retry_after_s)
    const denial = applyDenial(phone, errorOf)
    if (denial === 'hang' || denial === 'reset_connection') return cut(denial)
    countForDevice(core, phone)
    core.ledger.accept({
      phone_id: phone.id,
      token: phone.token,
      id,
      collapse_id: notification.collapse_id,
      tag: null,
      identity: id,
    })
    putIntoInbox(phone.inbox, core.now(), id, text)
    const fault: WireFault | undefined =
      denial === 'lost_answer' ? 'reset_connection' : core.faults.after()
    return { reply: { status: 200, headers: acceptedHeaders(core, id), fault }, reason: null }
  } catch (error) {
    if (error instanceof ApnsError) return refuse(error, id)
    throw error
  }
}

const cut = (fault: WireFault): Answer => ({ reply: { status: 0, fault }, reason: null })

const acceptedHeaders = ({ environment }: Core, id: string) => ({
  'apns-id': id,
  ...(environment === 'sandbox' && { 'apns-unique-id': randomUUID() }),
})

function refuse({ reason, timestamp_ms, retry_after_s }: ApnsError, id: string): Answer {
  const body = { reason, ...(timestamp_ms !== undefined && { timestamp: timestamp_ms }) }
  const headers = {
    'apns-id': id,
    'content-type': 'application/json',
    ...(retry_after_s !== undefined && { 'retry-after': String(retry_after_s) }),
  }
  return { reply: { status: REASONS[reason], headers, text: JSON.stringify(body) }, reason }
}

function readPath({ method, path }: WireRequest): string {
  if (!path.startsWith(PATH)) throw new ApnsError('BadPath')
  if (method !== 'POST') throw new ApnsError('MethodNotAllowed')
  const token = path.slice(PATH.length)
  if (token === '') throw new ApnsError('MissingDeviceToken')
  if (!TOKEN.test(token)) throw new ApnsError('BadDeviceToken')
  return token.toLowerCase()
}

function checkTopic(core: Core, { team_id, topics }: Key, { bundle_id }: Notification): void {
  const isOurs = core.topics.get(bundle_id) === team_id
  if (!isOurs || topics?.includes(bundle_id) === false) throw new ApnsError('TopicDisallowed')
}

/** A token of the other environment is unknown here; Apple answers it like a malformed one. */
function findPhone(core: Core, token: string, { bundle_id }: Notification): Phone {
  const retired = core.retired.get(token)
  if (retired) throw new ApnsError(retired.reason, retired)
  const phone = core.by_token.get(token)
  if (phone === undefined) throw new ApnsError('BadDeviceToken')
  if (phone.bundle_id !== bundle_id) throw new ApnsError('DeviceTokenNotForTopic')
  if (phone.gone) throw new ApnsError(phone.gone.reason, phone.gone)
  return phone
}

/** A payload without `aps` counts as empty, because Apple has no other reason for it. */
function readPayload(body: Buffer, { payload_max_bytes }: Notification): string {
  if (body.length === 0) throw new ApnsError('PayloadEmpty')
  if (body.length > payload_max_bytes) throw new ApnsError('PayloadTooLarge')
  const text = body.toString('utf8')
  if (!hasAps(text)) throw new ApnsError('PayloadEmpty')
  return text
}

function hasAps(text: string): boolean {
  try {
    const value = JSON.parse(text) as { aps?: unknown } | null
    return typeof value?.aps === 'object' && value.aps !== null
  } catch {
    return false
  }
}

const scriptedError = (core: Core, reason: ApnsReason, retry_after_s: number | undefined) =>
  new ApnsError(reason, {
    retry_after_s,
    ...(REASONS[reason] === 410 && { timestamp_ms: core.now().getTime() }),
  })

function countForDevice({ quotas, now }: Core, { minute }: Phone): void {
  const max = quotas.messages_per_device_per_minute
  if (max === null) return
  const at_ms = now().getTime()
  if (at_ms >= minute.began_ms + MINUTE_MS) Object.assign(minute, { began_ms: at_ms, count: 0 })
  if (minute.count >= max) throw new ApnsError('TooManyRequests')
  minute.count += 1
}
