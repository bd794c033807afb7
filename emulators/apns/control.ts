/** The control of the APNs emulator, for tests and operators: in process, and below `/control/`. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  randomUUID,
} from 'node:crypto'
import { type ControlRoute, controlRoute } from '../control-routes.ts'
import { ApiError, invalid } from '../google-errors.ts'
import {
  createPushControl,
  type PushControl,
  type PushView,
  pushControlRoutes,
} from '../push-control.ts'
import { createInbox, viewInbox } from '../push-ledger.ts'
import {
  type ApnsFaults,
  type ApnsKey,
  type ApnsKeyChange,
  type ApnsKeyRequest,
  type ApnsPhoneChange,
  type ApnsPhoneRequest,
  type ApnsQuotas,
  read,
} from './control-schema.ts'
import type { ApnsRequestRecord, Core, Key, Phone } from './core.ts'

type ApnsTypes = {
  phone_request: ApnsPhoneRequest
  phone_change: ApnsPhoneChange
  phone_view: PushView<Phone>
  faults: ApnsFaults
  quotas: ApnsQuotas
  request_record: ApnsRequestRecord
}

/** After `renewToken`, the old token is Unregistered. */
export type ApnsControl = PushControl<ApnsTypes> & {
  /** Returns a key of the emulator's own team, and creates it on first use. */
  signingKey: () => ApnsKey
  /** Adds a new key, or one that another instance created. */
  addKey: (request?: ApnsKeyRequest) => ApnsKey
  changeKey: (keyId: string, change: ApnsKeyChange) => ApnsKey
  listKeys: () => ApnsKey[]
}

export const TEAM_ID = 'VIGILTEAM1'
export const BUNDLE_ID = 'com.example.app'
const TOKEN_BYTES = 32
const ID_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

export function createControl(core: Core): ApnsControl {
  const { keys, quotas } = core
  return {
    ...createPushControl<ApnsTypes, Phone>(core, {
      createPhone: (request) => createPhone(core, request),
      changePhone: (phone, { gone, denial }) => {
        if (gone !== undefined) {
          phone.gone = gone && { timestamp_ms: core.now().getTime(), ...gone }
        }
        if (denial !== undefined) phone.denial = denial
      },
      createToken,
      retireToken: (token) => {
        core.retired.set(token, { reason: 'Unregistered', timestamp_ms: core.now().getTime() })
      },
      viewOf: ({ inbox, minute: _minute, ...phone }) => ({ ...phone, ...viewInbox(inbox) }),
    }),
    signingKey: () => {
      const own = [...keys.values()].find(
        ({ team_id, is_revoked }) => team_id === TEAM_ID && !is_revoked,
      )
      return viewOf(own ?? addKey(core, {}))
    },
    addKey: (request = {}) => viewOf(addKey(core, request)),
    changeKey: (keyId, change) => {
      const key = keys.get(keyId)
      if (key === undefined) throw new ApiError('NOT_FOUND', `There is no key ${keyId}`)
      return viewOf(Object.assign(key, change))
    },
    listKeys: () => [...keys.values()].map(viewOf),
    setQuotas: (next) => ({ ...Object.assign(quotas, next) }),
    getQuotas: () => ({ ...quotas }),
  }
}

const route = controlRoute<ApnsControl>

export const CONTROL_ROUTES: readonly ControlRoute<ApnsControl>[] = [
  route('GET key', (control) => control.signingKey()),
  route('GET keys', (control) => ({ keys: control.listKeys() })),
  route('POST keys', (control, { body }) => control.addKey(read.key(body))),
  route('PATCH keys/{}', (control, { id, body }) => control.changeKey(id, read.keyChange(body))),
  ...pushControlRoutes<ApnsTypes>(read),
]

function addKey(core: Core, request: ApnsKeyRequest): Key {
  const private_key = request.private_key ?? createPrivateKeyPem()
  const key: Key = {
    key_id: request.key_id ?? createId(),
    team_id: request.team_id ?? TEAM_ID,
    private_key,
    public_key: publicKeyOf(private_key),
    environments: request.environments ?? ['production', 'sandbox'],
    topics: request.topics ?? null,
    is_revoked: false,
    tokens_seen: new Map(),
  }
  core.keys.set(key.key_id, key)
  // Tokens that an earlier key with the same id verified are no longer valid.
  core.verified.clear()
  return key
}

function createPhone(core: Core, { bundle_id, team_id, token }: ApnsPhoneRequest): Phone {
  const phone: Phone = {
    id: randomUUID(),
    bundle_id: bundle_id ?? BUNDLE_ID,
    token: token ?? createToken(),
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
  return phone
}

const createToken = (): string => randomBytes(TOKEN_BYTES).toString('hex')

const createPrivateKeyPem = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()

function publicKeyOf(pem: string) {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return createPublicKey(key)
  } catch {
    // Reported below, like a key of another curve.
  }
  throw invalid('private_key is not a P-256 key in PEM form')
}

const createId = (): string =>
  [...randomBytes(10)].map((byte) => ID_LETTERS[byte % ID_LETTERS.length]).join('')

const viewOf = ({ public_key: _public, tokens_seen: _seen, ...key }: Key): ApnsKey => key
