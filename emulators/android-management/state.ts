/**
 * Everything the emulator knows, as plain data and maps by the keys by which it is looked for. What
 * is here survives a restart when there is a folder.
 */

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
  /** Set when the administrator has gone through with it. */
  enterprise_token: string | null
  is_used: boolean
}

export type DeviceRecord = {
  /** Rises with every device: the place in lists. */
  seq: number
  phone_id: string
  /** What the API shows: what was asked for, and what the phone told last. */
  resource: Device
  /** Ids of operations that the phone has not carried out, oldest first. */
  pending: string[]
  /** Ids of all operations, oldest first. */
  operations: string[]
}

export type TokenRecord = { seq: number; token: EnrollmentToken; is_used: boolean }

export type EnterpriseRecord = {
  id: string
  resource: Enterprise
  policies: Map<string, { seq: number; policy: Policy }>
  tokens: Map<string, TokenRecord>
  devices: Map<string, DeviceRecord>
  /** Deleted through the API, while their phones have not heard of it. */
  deleted: Map<string, DeviceRecord>
}

/** What the phone itself knows; the API learns of it by reports. */
export type Phone = {
  id: string
  /** Null while it is managed by nobody. */
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
  /** It is switched off or without a network: nothing is heard of it. */
  is_silent: boolean
  /** It applies policies and carries out commands by itself. */
  is_automatic: boolean
  reaction_ms: number
  applied_state: DeviceState
  applied_policy: { name: string; version: string } | null
  violations: NonComplianceDetail[]
  /** Names that it had as a device before this enrolment, oldest first. */
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
  /** Waiting to be delivered, oldest first. */
  ready: Message[]
  /** Delivered and not acknowledged, by ack id. */
  leased: Map<string, { message: Message; until_ms: number }>
}

export type ServiceAccountKey = { private_key_id: string; private_key: string }

export type State = {
  service_account: ServiceAccountKey
  /** PEM of the key that signs the tokens of push requests; made when it is first needed. */
  signing_key: string | null
  clock_offset_ms: number
  last_seq: number
  last_operation_id: number
  signups: Map<string, Signup>
  enterprises: Map<string, EnterpriseRecord>
  /** Value of an enrolment token → where it is. */
  token_values: Map<string, { enterprise_id: string; token_id: string }>
  phones: Map<string, Phone>
  /** Id of a device → id of its phone, also of devices that are gone. */
  phones_of_devices: Map<string, string>
  phones_of_serials: Map<string, string>
  /** By full name, also of devices that are gone. */
  operations: Map<string, Operation>
  /** Names of those that are not done. */
  pending_operations: Set<string>
  /** Name of a device, a space, type of a command → how often one was accepted. */
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

/** PEM of PKCS #8, 2048 bits. */
export const newRsaKey = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string

export const publicKeyOf = (pem: string) => createPublicKey(createPrivateKey(pem))
