/** The whole state of the emulator as plain data and maps, which is what a folder persists. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { Grant } from '../google-oauth.ts'
import type {
  Device,
  DeviceState,
  EnrollmentToken,
  Enterprise,
  Json,
  ManagementMode,
  NonComplianceDetail,
  Operation,
  Ownership,
  Policy,
} from './resources.ts'

export const PROJECT = 'vigil-emulator'

export type Signup = {
  id: string
  callback_url: string
  display_name: string | null
  /** Set when the administrator has completed the sign-up. */
  enterprise_token: string | null
  is_used: boolean
}

export type DeviceRecord = {
  /** Rises with every device and defines the order of lists. */
  seq: number
  phone_id: string
  /** The resource of the API: the requested state, and the state that the phone reported last. */
  resource: Device
  /** Names of the operations that the phone has not executed, oldest first. */
  pending: string[]
  /** Names of all operations, oldest first. */
  operations: string[]
}

export type TokenRecord = { seq: number; token: EnrollmentToken; is_used: boolean }

export type EnterpriseRecord = {
  id: string
  resource: Enterprise
  policies: Map<string, { seq: number; policy: Policy }>
  tokens: Map<string, TokenRecord>
  devices: Map<string, DeviceRecord>
  /** Devices that were deleted through the API and whose phones have not noticed it yet. */
  deleted: Map<string, DeviceRecord>
}

/** The state of the phone itself, of which the API learns through reports. */
export type Phone = {
  id: string
  /** Null while the phone is not managed. */
  enterprise_id: string | null
  device_id: string | null
  brand: string
  model: string
  serial_number: string
  imei: string
  wifi_mac_address: string
  android_version: string
  api_level: number
  security_patch_level: string
  ownership: Ownership
  management_mode: ManagementMode
  /** The phone is offline: it does not communicate with the server. */
  is_silent: boolean
  /** The phone applies policies and executes commands without the control interface. */
  is_automatic: boolean
  reaction_ms: number
  applied_state: DeviceState
  applied_policy: { name: string; version: string } | null
  violations: NonComplianceDetail[]
  /** Names of the devices of earlier enrollments, oldest first. */
  previous_device_names: string[]
}

export type Message = {
  /** Base64. */
  data: string
  attributes: Record<string, string>
  messageId: string
  publishTime: string
}

export type Topic = { name: string; policy: Json; subscriptions: string[] }

export type PushConfig = {
  pushEndpoint: string
  oidcToken?: { serviceAccountEmail: string; audience?: string }
}

export type Subscription = {
  name: string
  topic: string
  ack_deadline_seconds: number
  push_config: PushConfig | null
  /** Messages to be delivered, oldest first. */
  ready: Message[]
  /** Ack id → a message that was delivered and not acknowledged. */
  leased: Map<string, { message: Message; until_ms: number }>
}

export type ServiceAccountKey = { private_key_id: string; private_key: string }

export type State = {
  service_account: ServiceAccountKey
  /** The key that signs the tokens of push requests, in PEM; created on first use. */
  signing_key: string | null
  clock_offset_ms: number
  last_seq: number
  last_operation_id: number
  signups: Map<string, Signup>
  enterprises: Map<string, EnterpriseRecord>
  /** Value of an enrollment token → its enterprise and id. */
  token_values: Map<string, { enterprise_id: string; token_id: string }>
  phones: Map<string, Phone>
  /** Id of a device → id of its phone, including deleted devices. */
  phones_of_devices: Map<string, string>
  phones_of_serials: Map<string, string>
  /** Full name → operation, including those of deleted devices. */
  operations: Map<string, Operation>
  /** Names of the operations that are not done. */
  pending_operations: Set<string>
  /** Name of a device and type of a command, separated by a space → number of accepted commands. */
  issued: Map<string, number>
  topics: Map<string, Topic>
  subscriptions: Map<string, Subscription>
  access_tokens: Map<string, Grant>
}

export const newState = (): State => ({
  service_account: { private_key_id: randomBytes(20).toString('hex'), private_key: newRsaKey() },
  signing_key: null,
  clock_offset_ms: 0,
  last_seq: 0,
  last_operation_id: 0,
  signups: new Map(),
  enterprises: new Map(),
  token_values: new Map(),
  phones: new Map(),
  phones_of_devices: new Map(),
  phones_of_serials: new Map(),
  operations: new Map(),
  pending_operations: new Set(),
  issued: new Map(),
  topics: new Map(),
  subscriptions: new Map(),
  access_tokens: new Map(),
})

/** Creates an RSA key of 2048 bits, PKCS #8 in PEM. */
export const newRsaKey = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string

export const publicKeyOf = (pem: string) => createPublicKey(createPrivateKey(pem))
