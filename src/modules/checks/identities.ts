/** The identities under which velocity counts a check, as keyed hashes. */
import type { KeyedHash } from '../../platform/crypto/keyed-hash.ts'
import type { Mode } from '../../platform/owner.ts'
import type { EmailIdentity } from './email/assess.ts'
import type { VelocityKind } from './velocity/velocity.ts'

/** A device report is counted to notice that it is sent again, not for its velocity. */
export type IdentityKind = VelocityKind | 'device_report'

export const velocityKey = (hash: KeyedHash, mode: Mode, kind: IdentityKind, value: string) =>
  hash('velocity', mode, kind, value)

export type CountedIdentity = {
  kind: IdentityKind
  key_hash: string
  /** Short hash of the person seen with this device or report; undefined for other kinds. */
  person: number | undefined
}

export type IdentitySources = {
  email: EmailIdentity | null
  phone: string | undefined
  fingerprint: string | undefined
  client_ip: string | undefined
  /** Id of a valid device report. */
  report_id?: string | undefined
}

export function identitiesOf(
  hash: KeyedHash,
  mode: Mode,
  { email, phone, fingerprint, client_ip, report_id }: IdentitySources,
): CountedIdentity[] {
  const identities: CountedIdentity[] = []
  const add = (kind: IdentityKind, value: string | undefined | null, person?: number) => {
    if (value === undefined || value === null) return
    identities.push({ kind, key_hash: velocityKey(hash, mode, kind, value), person })
  }
  add('email', email?.canonical)
  add('email_series', email?.pattern_key)
  // Free mail domains are shared by millions of people, so their traffic is no evidence about one.
  if (email && !email.is_free_mail && !email.is_relay) add('email_domain', email.registrable_domain)
  add('phone', phone)
  const person = email?.canonical ?? phone
  const personHash = person === undefined ? undefined : shortHash(hash('person', mode, person))
  add('device', fingerprint, personHash)
  add('device_report', report_id, personHash)
  add('ip', client_ip)
  return identities
}

/** 32 bits are plenty to distinguish the 32 people that are counted on one device. */
const shortHash = (uuid: string): number => Number.parseInt(uuid.slice(0, 8), 16) | 0
