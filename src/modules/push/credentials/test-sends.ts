/** Test sends: one notification to one device, sent immediately to verify a credential (OP-100). */
import type { Clock } from '../../../platform/clock.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { NAME_FOR } from '../configurations/service.ts'
import { findPushApplication, type PushApplication } from '../configurations/store.ts'
import type { PushMessage, SendResult } from '../providers/port.ts'
import { type PushSenders, sendBy } from '../providers/senders.ts'
import { findSubscription } from '../subscriptions/store.ts'
import type { PushProvider } from '../tables.ts'
import { type CredentialRef, UNOPENED } from './credential.ts'
import type { CredentialCache } from './credential-cache.ts'
import type { TestSendResult } from './schema.ts'
import { findCredential, recordAcceptances, recordRejections } from './store.ts'
import { shownCredential } from './view.ts'

export type TestSendDependencies = {
  db: Database
  credentialCache: CredentialCache
  senders: PushSenders
  clock: Clock
  newId: NewId
}

export type TestSendRequest = {
  org_id: string
  application_id: string
  provider: PushProvider
  /** Exactly one of `subscription_id` and `token` selects the device. */
  subscription_id?: string | undefined
  token?: string | undefined
}

export type TestSends = {
  /**
   * Works with a credential that needs attention, too. Only the credential records the outcome: the
   * notification is not stored, and the subscription does not change.
   *
   * @returns undefined when the organization has no such application
   * @throws AppError 400 naming the field that prevents the test
   */
  send(request: TestSendRequest): Promise<TestSendResult | undefined>
}

export function createTestSends(deps: TestSendDependencies): TestSends {
  const { db, credentialCache, senders, clock, newId } = deps

  const sendTo = async (application: PushApplication, provider: PushProvider, token: string) => {
    const { org_id, application_id } = application
    const stored = await findCredential(db, org_id, application_id, provider)
    if (!stored) throw invalidRequest('provider', `provider ${NO_CREDENTIAL}`)
    const credential = await credentialCache.open(stored)
    if (!credential) return { ref: stored, result: UNOPENED }
    const now = clock.now()
    const message = messageFor(application, provider, {
      recipient_id: newId(now),
      message_id: newId(now),
      token,
    })
    const { signal } = new AbortController()
    return { ref: stored, result: await sendBy(senders, credential, message, { signal }) }
  }

  return {
    send: async (request) => {
      const { org_id, application_id, provider } = request
      const application = await findPushApplication(db, org_id, { application_id })
      if (!application) return undefined
      const token = await tokenOf(deps, request)
      const { ref, result } = await sendTo(application, provider, token)
      await recordResult(db, ref, result)
      const after = await findCredential(db, org_id, application.application_id, provider)
      if (!after) throw invalidRequest('provider', `provider ${NO_CREDENTIAL}`)
      return { ...outcomeOf(result), credential: shownCredential(after, clock.now()) }
    },
  }
}

const NO_CREDENTIAL = 'has no credential for this application'

async function tokenOf({ db }: TestSendDependencies, request: TestSendRequest): Promise<string> {
  const { org_id, application_id, provider, subscription_id: id, token } = request
  if ((id === undefined) === (token === undefined)) {
    throw invalidRequest('subscription_id', 'exactly one of subscription_id and token is required')
  }
  if (id === undefined) return token ?? ''
  const device = isUuid(id) ? await findSubscription(db, org_id, { application_id, id }) : undefined
  if (!device) throw unusableDevice('does not belong to this application')
  if (device.provider !== provider) {
    throw unusableDevice(`belongs to a device of ${device.provider}, not ${provider}`)
  }
  if (device.token === null) {
    throw unusableDevice('has no token: it has moved to another subscription')
  }
  return device.token
}

const unusableDevice = (problem: string) =>
  invalidRequest('subscription_id', `subscription_id ${problem}`)

function messageFor(
  application: PushApplication,
  provider: PushProvider,
  ids: Pick<PushMessage, 'recipient_id' | 'message_id' | 'token'>,
): PushMessage {
  const content = { ...ids, title: TITLE, body: BODY, data: {}, priority: 'high' as const }
  const name = application[NAME_FOR[provider]] ?? ''
  return provider === 'fcm' ? { ...content, package_name: name } : { ...content, bundle_id: name }
}

const TITLE = 'Test notification'
const BODY = 'Notifications reach this device.'

async function recordResult(db: Database, ref: CredentialRef, result: SendResult): Promise<void> {
  const { application_id, provider, version } = ref
  const version_ref = { application_id, provider, version }
  if (result.kind === 'accepted') await recordAcceptances(db, [version_ref])
  if (result.kind === 'credential_rejected') {
    await recordRejections(db, [{ ...version_ref, error: result.safe_text }])
  }
}

function outcomeOf(result: SendResult): Omit<TestSendResult, 'credential'> {
  if (result.kind === 'accepted') {
    return { accepted: true, reason: null, provider_id: result.provider_id }
  }
  const reason = result.kind === 'throttled' ? `throttled_${result.scope}` : result.reason
  return { accepted: false, reason, provider_id: null }
}
