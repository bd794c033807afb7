/** The identities of a person, in the forms in which the product stores them. */
import type { KeyedHash } from '../../platform/crypto/keyed-hash.ts'
import type { Owner } from '../../platform/owner.ts'
import type { StateId } from '../../platform/states/index.ts'
import { mailboxOf, spellingsOf, velocityKey } from '../checks/index.ts'
import type { ListKind, Lists } from '../lists/index.ts'
import { phoneLookupKey } from '../phone/index.ts'
import { emailOf, type ReputationStore } from '../reputation/index.ts'
import { emailPattern, type Pattern, phonePattern, textPattern } from './patterns.ts'

export const PERSON_MEMBERS = ['email', 'phone', 'profile', 'device'] as const
export type PersonMember = (typeof PERSON_MEMBERS)[number]

/** At least one member: an e-mail address, a number in E.164, an `external_id`, a `fingerprint_hash`. */
export type PersonQuery = Partial<Record<PersonMember, string>>

export type Person = {
  org_id: string
  patterns: readonly Pattern[]
  /** Members that are found in some columns only. */
  short: readonly PersonMember[]
  external_ids: readonly string[]
  profile_ids: readonly string[]
  /** States of the profile and the device. */
  state_ids: readonly string[]
  device_ids: readonly string[]
  /** Keyed hashes, by table. */
  keys: Readonly<Record<'velocity' | 'list_entries' | 'reputation' | 'lookup_cache', string[]>>
}

export type PersonDependencies = {
  hash: KeyedHash
  stateId: StateId
  reputation: Pick<ReputationStore, 'key'>
  lists: Pick<Lists, 'keyOf'>
}

const PHONE = /^\+[1-9][0-9]{6,14}$/

export type PersonFault = { field: string; message: string }

/** @returns the first fault of the query */
export function faultOf(query: PersonQuery): PersonFault | undefined {
  const { email, phone } = query
  if (PERSON_MEMBERS.every((member) => query[member] === undefined)) {
    return {
      field: 'email',
      message: 'At least one of email, phone, profile and device is required',
    }
  }
  if (email !== undefined && mailboxOf(email) === undefined) {
    return { field: 'email', message: 'email must be an e-mail address, such as ann@example.com' }
  }
  if (phone !== undefined && !PHONE.test(phone)) {
    const message = 'phone must be a phone number in E.164, such as +12025550143'
    return { field: 'phone', message }
  }
  return undefined
}

/** An `external_id` that is an e-mail address is the person with this address, and the reverse. */
export function personOf(deps: PersonDependencies, org_id: string, query: PersonQuery): Person {
  const { phone, profile, device } = query
  const email = query.email ?? (profile === undefined ? undefined : emailOf(profile))
  const mailbox = email === undefined ? undefined : mailboxOf(email)
  const external_ids = [...new Set([profile, email, email?.toLowerCase(), mailbox])].filter(
    (one) => one !== undefined,
  )
  const owners = (['live', 'test'] as const).map((mode): Owner => ({ org_id, mode }))
  const statesOf = (kind: string, names: readonly string[]) =>
    owners.flatMap((owner) => names.map((name) => deps.stateId(owner, kind, name)))
  const profile_ids = statesOf('profile', external_ids)
  const device_ids = statesOf('device', device === undefined ? [] : [device])
  const patterns = {
    email: mailbox === undefined ? undefined : emailPattern(spellingsOf(mailbox)),
    phone: phone === undefined ? undefined : phonePattern(phone),
    profile: profile === undefined ? undefined : textPattern(profile),
    device: device === undefined ? undefined : textPattern(device),
  }
  return {
    org_id,
    patterns: Object.values(patterns).filter((pattern) => pattern !== undefined),
    short: PERSON_MEMBERS.filter((one) => query[one] !== undefined && patterns[one] === undefined),
    external_ids,
    profile_ids,
    device_ids,
    state_ids: [...profile_ids, ...device_ids],
    keys: keysOf(deps, owners, { email: mailbox, phone, device, external_ids }),
  }
}

type Values = Partial<Record<'email' | 'phone' | 'device', string | undefined>> & {
  external_ids: readonly string[]
}

function keysOf(
  { hash, lists, reputation }: PersonDependencies,
  owners: readonly Owner[],
  { external_ids, ...values }: Values,
): Person['keys'] {
  const known = Object.entries(values).filter(([, value]) => value !== undefined) as [
    'email' | 'phone' | 'device',
    string,
  ][]
  const profiles = external_ids.map((id): ['profile', string] => ['profile', id])
  const listed: [ListKind, string][] = [...known, ...profiles]
  return {
    velocity: owners.flatMap(({ mode }) =>
      known.map(([kind, value]) => velocityKey(hash, mode, kind, value)),
    ),
    list_entries: owners.flatMap((owner) =>
      listed.flatMap(([kind, value]) => lists.keyOf(owner, kind, value) ?? []),
    ),
    reputation: owners.flatMap((owner) =>
      [...known, ...profiles].flatMap(([kind, value]) =>
        kind === 'email' ? [] : [reputation.key({ ...owner, kind, value })],
      ),
    ),
    lookup_cache:
      values.phone === undefined
        ? []
        : [phoneLookupKey(hash, owners[0]?.org_id ?? '', values.phone)],
  }
}
