/** `projects.messages.send`: authorization, quota, validation and delivery of a message. */

import { randomBytes } from 'node:crypto'
import type { ApiDescription } from '../../src/platform/google/api-description.ts'
import { MINUTE_MS } from '../../src/platform/time-units.ts'
import { ApiError } from '../google-errors.ts'
import { authorizeBearer, SCOPE_PREFIX } from '../google-oauth.ts'
import { jsonReply, type WireFault, type WireReply, type WireRequest } from '../http2-wire.ts'
import { applyDenial } from '../push-faults.ts'
import { putIntoInbox } from '../push-ledger.ts'
import type { Core, Phone } from './core.ts'
import { FcmError, type FcmErrorCode, invalidField, replyOf } from './errors.ts'
import { type Message, readSendRequest } from './message.ts'

const SCOPES = [`${SCOPE_PREFIX}firebase.messaging`, `${SCOPE_PREFIX}cloud-platform`]
const DRY_RUN_ID = 'fake_message_id'

/** @param projectId project in the path */
export function answerSend(
  core: Core,
  api: ApiDescription,
  request: WireRequest,
  projectId: string,
): WireReply {
  const scripted = core.faults.before()
  if (typeof scripted === 'string') return { status: 0, fault: scripted }
  try {
    authorize(core, request, projectId)
    consumeQuota(core, projectId)
    const { message, is_dry_run } = readSendRequest(api, request.body)
    const phone = findPhone(core, projectId, message)
    if (scripted) throw new FcmError(scripted.code, { retry_after_s: scripted.retry_after_s })
    const denial = phone && applyDenial(phone, errorOf)
    if (denial === 'hang' || denial === 'reset_connection') return { status: 0, fault: denial }
    const id = is_dry_run ? DRY_RUN_ID : accept(core, phone, message)
    const fault: WireFault | undefined =
      denial === 'lost_answer' ? 'reset_connection' : core.faults.after()
    return { ...jsonReply(200, { name: `projects/${projectId}/messages/${id}` }), fault }
  } catch (error) {
    return replyOf(error)
  }
}

function authorize(core: Core, { headers }: WireRequest, projectId: string): void {
  const grant = authorizeBearer(core.oauth, headers.authorization || undefined, SCOPES)
  if (grant.project_id !== projectId) {
    throw new ApiError(
      'PERMISSION_DENIED',
      `Permission 'cloudmessaging.messages.create' denied on resource '//cloudresourcemanager.googleapis.com/projects/${projectId}' (or it may not exist).`,
    )
  }
}

/** Counts all requests, including those that are refused, except those that the quota refuses. */
function consumeQuota({ quota, now }: Core, projectId: string): void {
  const max = quota.messages_per_minute
  if (max === null) return
  const at_ms = now().getTime()
  const known = quota.used.get(projectId)
  const isOver = known === undefined || at_ms >= known.began_ms + MINUTE_MS
  const minute = isOver ? { began_ms: at_ms, count: 0 } : known
  quota.used.set(projectId, minute)
  if (minute.count >= max) {
    const retry_after_s = Math.ceil((minute.began_ms + MINUTE_MS - at_ms) / 1_000)
    throw new FcmError('QUOTA_EXCEEDED', { retry_after_s })
  }
  minute.count += 1
}

/** @returns undefined for topics and conditions, which no phone of the emulator subscribes to */
function findPhone(core: Core, projectId: string, { token, android }: Message): Phone | undefined {
  if (token === undefined) return undefined
  const phone = core.by_token.get(token)
  if (phone === undefined) throw new FcmError('UNREGISTERED')
  if (phone.project_id !== projectId) throw new FcmError('SENDER_ID_MISMATCH')
  if (!phone.is_registered) throw new FcmError('UNREGISTERED')
  const wanted = android?.restrictedPackageName
  if (wanted !== undefined && wanted !== phone.package_name) {
    throw invalidField(
      'message.android.restricted_package_name',
      'The package name of the registration token is not the restricted package name.',
    )
  }
  return phone
}

const errorOf = (code: FcmErrorCode, retry_after_s: number | undefined): FcmError =>
  new FcmError(code, { retry_after_s })

/** @returns the message id */
function accept(core: Core, phone: Phone | undefined, message: Message): string {
  const at = core.now()
  const id = `0:${at.getTime()}${randomBytes(3).readUIntBE(0, 3)}%${randomBytes(8).toString('hex')}`
  const tag = message.android?.notification?.tag ?? null
  core.ledger.accept({
    phone_id: phone?.id ?? '',
    token: message.token ?? message.topic ?? message.condition ?? '',
    id,
    collapse_id: message.android?.collapseKey ?? null,
    tag,
    identity: tag ?? id,
  })
  if (phone !== undefined) putIntoInbox(phone.inbox, at, id, JSON.stringify(message))
  return id
}
