/** `projects.messages.send`: who may send, what the quota leaves, and what becomes of the message. */
import { randomBytes } from 'node:crypto'
import type { ApiDescription } from '../../src/platform/google/api-description.ts'
import { ApiError } from '../android-management/errors.ts'
import { json } from '../control-routes.ts'
import { SCOPE_PREFIX } from '../google-oauth.ts'
import type { WireFault, WireReply, WireRequest } from '../http2-wire.ts'
import { putIntoInbox } from '../push-ledger.ts'
import type { Core, Phone } from './core.ts'
import { FcmError, invalidField, replyOf } from './errors.ts'
import { type Message, readSendRequest } from './message.ts'

const SCOPES = [`${SCOPE_PREFIX}firebase.messaging`, `${SCOPE_PREFIX}cloud-platform`]
const DRY_RUN_ID = 'fake_message_id'
const MINUTE_MS = 60_000

/** @param projectId out of the path */
export function answerSend(
  core: Core,
  api: ApiDescription,
  request: WireRequest,
  projectId: string,
): WireReply {
  const trouble = core.faults.before()
  if (typeof trouble === 'string') return { status: 0, fault: trouble }
  try {
    authorize(core, request, projectId)
    consumeQuota(core, projectId)
    const { message, is_dry_run } = readSendRequest(api, request.body)
    const phone = findPhone(core, projectId, message)
    if (trouble) throw new FcmError(trouble.code, { retry_after_s: trouble.retry_after_s })
    const loss = phone === undefined ? undefined : denial(phone)
    if (loss === 'hang' || loss === 'reset_connection') return { status: 0, fault: loss }
    const id = is_dry_run ? DRY_RUN_ID : accept(core, phone, message)
    const fault: WireFault | undefined =
      loss === 'lost_answer' ? 'reset_connection' : core.faults.after()
    return { ...json(200, { name: `projects/${projectId}/messages/${id}` }), fault }
  } catch (error) {
    return replyOf(error)
  }
}

function authorize(core: Core, { headers }: WireRequest, projectId: string): void {
  const { authorization = '' } = headers
  const [, token] = /^Bearer (\S+)$/i.exec(authorization) ?? []
  const grant = token === undefined ? undefined : core.oauth.findGrant(token)
  if (grant === undefined) {
    const what =
      authorization === ''
        ? 'Request is missing required authentication credential.'
        : 'Request had invalid authentication credentials.'
    throw new ApiError('UNAUTHENTICATED', `${what} Expected OAuth 2 access token.`)
  }
  if (!SCOPES.some((scope) => grant.scopes.includes(scope))) {
    throw new ApiError('PERMISSION_DENIED', 'Request had insufficient authentication scopes.', [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
        domain: 'googleapis.com',
      },
    ])
  }
  if (grant.project_id !== projectId) {
    throw new ApiError(
      'PERMISSION_DENIED',
      `Permission 'cloudmessaging.messages.create' denied on resource '//cloudresourcemanager.googleapis.com/projects/${projectId}' (or it may not exist).`,
    )
  }
}

/** Requests that are refused count as well, except those that the quota refuses. */
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

/** Undefined for topics and conditions, which nobody is asked about. */
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

/** Throws the error that befalls messages to the phone, or answers what befalls the connection. */
function denial(phone: Phone): 'hang' | 'reset_connection' | 'lost_answer' | undefined {
  const denied = phone.denial
  if (denied === null) return undefined
  if (denied.times !== undefined) {
    denied.times -= 1
    if (denied.times <= 0) phone.denial = null
  }
  const { code, retry_after_s } = denied
  if (code === 'hang' || code === 'reset_connection' || code === 'lost_answer') return code
  throw new FcmError(code, { retry_after_s })
}

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
