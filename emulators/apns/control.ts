/** How a test or an operator steers the APNs emulator and looks into it. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  randomUUID,
} from 'node:crypto'
import { ApiError, invalid } from '../android-management/errors.ts'
import type { Traffic } from '../http2-streams.ts'
import { createInbox, type Delivery, deliveriesIn, emptyInbox, type Truth } from '../push-ledger.ts'
import type {
  ApnsDenial,
  ApnsEnvironment,
  ApnsFaults,
  ApnsKeyChange,
  ApnsKeyRequest,
  ApnsPhoneChange,
  ApnsPhoneRequest,
  ApnsQuotas,
} from './control-schema.ts'
import type { Core, Gone, Key, Phone, RequestRecord } from './core.ts'

/** What an operator uploads: the .p8 with its ids. */
export type ApnsKey = {
  readonly key_id: string
  readonly team_id: string
  readonly private_key: string
  readonly environments: readonly ApnsEnvironment[]
  readonly topics: readonly string[] | null
  readonly is_revoked: boolean
}

export type ApnsPhoneView = {
  readonly id: string
  readonly bundle_id: string
  readonly token: string
  readonly gone: Gone | null
  readonly denial: ApnsDenial | null
  /** All messages that came. */
  readonly received: number
  /** The last twenty payloads, oldest first. */
  readonly last: readonly Delivery[]
}

/** Phones go by their id or by their token. Whatever cannot be done throws. */
export type ApnsControl = {
  /** A key of the emulator's own team; made when it is first asked for. */
  signingKey: () => ApnsKey
  /** Makes a key, or takes one that another instance made. */
  addKey: (request?: ApnsKeyRequest) => ApnsKey
  changeKey: (keyId: string, change: ApnsKeyChange) => ApnsKey
  listKeys: () => ApnsKey[]
  makePhone: (request?: ApnsPhoneRequest) => ApnsPhoneView
  /** @returns their tokens */
  makePhones: (count: number, request?: ApnsPhoneRequest) => string[]
  /** @param limit of the newest */
  listPhones: (limit?: number) => ApnsPhoneView[]
  getPhone: (id: string) => ApnsPhoneView
  changePhone: (id: string, change: ApnsPhoneChange) => ApnsPhoneView
  /** The app gets a new token; the old one is Unregistered from now on. */
  renewToken: (id: string) => ApnsPhoneView
  setFaults: (faults: ApnsFaults) => ApnsFaults
  getFaults: () => ApnsFaults
  /** What is left out stays. */
  setQuotas: (quotas: ApnsQuotas) => Required<ApnsQuotas>
  getQuotas: () => Required<ApnsQuotas>
  /** Every message that was accepted. */
  truth: () => Truth
  /** Forgets what was accepted, inboxes and requests; phones and keys stay. */
  clear: () => void
  /** The last thousand, oldest first, without those of the control interface. */
  requests: () => readonly RequestRecord[]
  traffic: () => Traffic
}

export const TEAM_ID = 'VIGILTEAM1'
export const BUNDLE_ID = 'com.example.app'
const LIST_MAX = 1_000
const TOKEN_BYTES = 32
const ID_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

export function createControl(core: Core): ApnsControl {
  const { keys, phones, faults, quotas } = core
  return {
    signingKey: () => {
      const own = [...keys.values()].find(({ team_id, is_revoked }) => {
        return team_id === TEAM_ID && !is_revoked
      })
      return keyView(own ?? addKey(core, {}))
    },
    addKey: (request = {}) => keyView(addKey(core, request)),
    changeKey: (keyId, change) => {
      const key = keys.get(keyId)
      if (key === undefined) throw new ApiError('NOT_FOUND', `There is no key ${keyId}`)
      return keyView(Object.assign(key, change))
    },
    listKeys: () => [...keys.values()].map(keyView),
    ...phoneControl(core),
    listPhones: (limit = LIST_MAX) => [...phones.values()].slice(-limit).map(phoneView),
    setFaults: (next) => {
      faults.set(next)
      return next
    },
    getFaults: faults.get,
    setQuotas: (next) => ({ ...Object.assign(quotas, next) }),
    getQuotas: () => ({ ...quotas }),
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

type PhoneControl = Pick<
  ApnsControl,
  'makePhone' | 'makePhones' | 'getPhone' | 'changePhone' | 'renewToken'
>

function phoneControl(core: Core): PhoneControl {
  return {
    makePhone: (request) => phoneView(makePhone(core, request)),
    makePhones: (count, request) =>
      Array.from({ length: count }, () => makePhone(core, request).token),
    getPhone: (id) => phoneView(getPhone(core, id)),
    changePhone: (id, { gone, denial }) => {
      const phone = getPhone(core, id)
      if (gone !== undefined) {
        phone.gone = gone && { timestamp_ms: core.now().getTime(), ...gone }
      }
      if (denial !== undefined) phone.denial = structuredClone(denial)
      return phoneView(phone)
    },
    renewToken: (id) => {
      const phone = getPhone(core, id)
      const timestamp_ms = core.now().getTime()
      core.retired.set(phone.token, { reason: 'Unregistered', timestamp_ms })
      core.by_token.delete(phone.token)
      phone.token = randomBytes(TOKEN_BYTES).toString('hex')
      core.by_token.set(phone.token, phone)
      return phoneView(phone)
    },
  }
}

function addKey(core: Core, request: ApnsKeyRequest): Key {
  const private_key = request.private_key ?? newPrivateKey()
  const key: Key = {
    key_id: request.key_id ?? newId(),
    team_id: request.team_id ?? TEAM_ID,
    private_key,
    public_key: publicKeyOf(private_key),
    environments: request.environments ?? ['production', 'sandbox'],
    topics: request.topics ?? null,
    is_revoked: false,
    tokens_seen: new Map(),
  }
  core.keys.set(key.key_id, key)
  // What was verified by a key of the same id does not count any more.
  core.verified.clear()
  return key
}

function makePhone(core: Core, { bundle_id, team_id, token }: ApnsPhoneRequest = {}): Phone {
  const phone: Phone = {
    id: randomUUID(),
    bundle_id: bundle_id ?? BUNDLE_ID,
    token: token ?? randomBytes(TOKEN_BYTES).toString('hex'),
    gone: null,
    denial: null,
    inbox: createInbox(),
    minute: { began_ms: 0, count: 0 },
  }
  const owner = core.topics.get(phone.bundle_id)
  if (owner !== undefined && team_id !== undefined && owner !== team_id) {
    throw invalid(`${phone.bundle_id} belongs to ${owner}`)
  }
  core.topics.set(phone.bundle_id, owner ?? team_id ?? TEAM_ID)
  core.phones.set(phone.id, phone)
  core.by_token.set(phone.token, phone)
  return phone
}

function getPhone(core: Core, id: string): Phone {
  const phone = core.phones.get(id) ?? core.by_token.get(id)
  if (phone === undefined) throw new ApiError('NOT_FOUND', `There is no phone ${id}`)
  return phone
}

const newPrivateKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()

function publicKeyOf(pem: string) {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return createPublicKey(key)
  } catch {
    // Said below.
  }
  throw invalid('private_key is not a P-256 key in PEM form')
}

const newId = (): string =>
  [...randomBytes(10)].map((byte) => ID_LETTERS[byte % ID_LETTERS.length]).join('')

const keyView = ({ public_key: _public, tokens_seen: _seen, ...key }: Key): ApnsKey => key

const phoneView = ({ inbox, minute: _minute, ...phone }: Phone): ApnsPhoneView => ({
  ...phone,
  received: inbox.count,
  last: deliveriesIn(inbox),
})
