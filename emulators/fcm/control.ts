/** How a test or an operator steers the FCM emulator and looks into it. */
import { createPrivateKey, randomBytes, randomUUID } from 'node:crypto'
import { ApiError, invalid } from '../android-management/errors.ts'
import { makeServiceAccount, type ServiceAccount } from '../google-oauth.ts'
import type { Traffic } from '../http2-streams.ts'
import { createInbox, type Delivery, deliveriesIn, emptyInbox, type Truth } from '../push-ledger.ts'
import type {
  FcmDenial,
  FcmFaults,
  FcmPhoneChange,
  FcmPhoneRequest,
  FcmQuotas,
} from './control-schema.ts'
import type { Core, Phone, RequestRecord } from './core.ts'

export type FcmPhoneView = {
  readonly id: string
  readonly project_id: string
  readonly package_name: string
  readonly token: string
  readonly is_registered: boolean
  readonly denial: FcmDenial | null
  /** All messages that came. */
  readonly received: number
  /** The last twenty, oldest first, with the `message` as it was sent. */
  readonly last: readonly Delivery[]
}

/** Phones go by their id or by their token. Whatever cannot be done throws. */
export type FcmControl = {
  /** What an operator uploads; made when a project is asked for that has none. */
  serviceAccount: (projectId?: string) => ServiceAccount
  /** Takes one that was made elsewhere, for example by this emulator before it was restarted. */
  addServiceAccount: (account: ServiceAccount) => void
  makePhone: (request?: FcmPhoneRequest) => FcmPhoneView
  /** @returns their tokens */
  makePhones: (count: number, request?: FcmPhoneRequest) => string[]
  /** @param limit of the newest */
  listPhones: (limit?: number) => FcmPhoneView[]
  getPhone: (id: string) => FcmPhoneView
  changePhone: (id: string, change: FcmPhoneChange) => FcmPhoneView
  /** The app gets a new token; the old one is UNREGISTERED. */
  renewToken: (id: string) => FcmPhoneView
  setFaults: (faults: FcmFaults) => FcmFaults
  getFaults: () => FcmFaults
  /** What is left out stays. */
  setQuotas: (quotas: FcmQuotas) => Required<FcmQuotas>
  getQuotas: () => Required<FcmQuotas>
  /** Access tokens that were issued are UNAUTHENTICATED from now on. */
  expireTokens: () => void
  /** Every message that was accepted. */
  truth: () => Truth
  /** Forgets what was accepted, inboxes and requests; phones and accounts stay. */
  clear: () => void
  /** The last thousand, oldest first, without those of the control interface. */
  requests: () => readonly RequestRecord[]
  traffic: () => Traffic
}

export const PROJECT_ID = 'vigil-emulator'
const PACKAGE_NAME = 'com.example.app'
const LIST_MAX = 1_000

export function createControl(core: Core): FcmControl {
  const { oauth, phones, faults, quota } = core
  const quotas = (): Required<FcmQuotas> => ({
    messages_per_minute: quota.messages_per_minute,
    streams_max: quota.streams_max,
  })
  return {
    serviceAccount: (projectId = PROJECT_ID) => {
      const known = oauth.find(projectId)
      if (known !== undefined) return known
      const made = makeServiceAccount(projectId, `${core.url()}/token`)
      oauth.add(made)
      return made
    },
    addServiceAccount: (account) => {
      if (!isPrivateKey(account.private_key)) throw invalid('private_key is not a key')
      oauth.add(account)
    },
    makePhone: (request) => viewOf(makePhone(core, request)),
    makePhones: (count, request) =>
      Array.from({ length: count }, () => makePhone(core, request).token),
    listPhones: (limit = LIST_MAX) => [...phones.values()].slice(-limit).map(viewOf),
    getPhone: (id) => viewOf(getPhone(core, id)),
    changePhone: (id, change) => viewOf(Object.assign(getPhone(core, id), structuredClone(change))),
    renewToken: (id) => {
      const phone = getPhone(core, id)
      core.by_token.delete(phone.token)
      phone.token = makeToken()
      core.by_token.set(phone.token, phone)
      return viewOf(phone)
    },
    setFaults: (next) => {
      faults.set(next)
      return next
    },
    getFaults: faults.get,
    setQuotas: (next) => {
      Object.assign(quota, next)
      quota.used.clear()
      if (next.streams_max !== undefined) core.allowStreams(next.streams_max)
      return quotas()
    },
    getQuotas: quotas,
    expireTokens: oauth.expireAll,
    truth: core.ledger.truth,
    clear: () => {
      core.ledger.clear()
      core.requests.clear()
      for (const { inbox } of phones.values()) emptyInbox(inbox)
    },
    requests: core.requests.list,
    traffic: core.traffic,
  }
}

function makePhone(core: Core, { project_id, package_name, token }: FcmPhoneRequest = {}): Phone {
  const phone: Phone = {
    id: randomUUID(),
    project_id: project_id ?? PROJECT_ID,
    package_name: package_name ?? PACKAGE_NAME,
    token: token ?? makeToken(),
    is_registered: true,
    denial: null,
    inbox: createInbox(),
  }
  core.phones.set(phone.id, phone)
  core.by_token.set(phone.token, phone)
  return phone
}

/** Installation id, a colon, and the part that begins the same everywhere. */
const makeToken = (): string =>
  `${randomBytes(16).toString('base64url')}:APA91b${randomBytes(96).toString('base64url')}`

function getPhone(core: Core, id: string): Phone {
  const phone = core.phones.get(id) ?? core.by_token.get(id)
  if (phone === undefined) throw new ApiError('NOT_FOUND', `There is no phone ${id}`)
  return phone
}

const viewOf = ({ inbox, ...phone }: Phone): FcmPhoneView => ({
  ...phone,
  received: inbox.count,
  last: deliveriesIn(inbox),
})

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}
