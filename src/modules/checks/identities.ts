/** The identities of a check under which it is counted, as keyed hashes. */
import type { KeyedHash } from '../../platform/crypto/keyed-hash.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import type { EmailIdentity } from './email/assess.ts'
import type { VelocityKind } from './velocity/velocity.ts'

export type CountedIdentity = {
  kind: VelocityKind
  key_hash: string
  /** Who was seen with this device; undefined for other kinds. */
  person: number | undefined
}

export type IdentitySources = {
  email: EmailIdentity | null
  phone: string | undefined
  fingerprint: string | undefined
  client_ip: string | undefined
}

export function identitiesOf(
  hash: KeyedHash,
  mode: Mode,
  { email, phone, fingerprint, client_ip }: IdentitySources,
): CountedIdentity[] {
  const identities: CountedIdentity[] = []
  const add = (kind: VelocityKind, value: string | undefined | null, person?: number) => {
    if (value === undefined || value === null) return
    identities.push({ kind, key_hash: hash('velocity', mode, kind, value), person })
  }
  add('email', email?.canonical)
  add('email_series', email?.pattern_key)
  // Half the world shares the free mail domains; their traffic says nothing about anybody.
  if (email && !email.is_free_mail && !email.is_relay) add('email_domain', email.registrable_domain)
  add('phone', phone)
  const who = email?.canonical ?? phone
  add('device', fingerprint, who === undefined ? undefined : shortHash(hash('person', mode, who)))
  add('ip', client_ip)
  return identities
}

/** 32 bits are plenty to tell 32 people on one device apart. */
const shortHash = (uuid: string): number => Number.parseInt(uuid.slice(0, 8), 16) | 0
