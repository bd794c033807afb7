/** The scenario of the RDAP and WHOIS emulator: its registrations and faults. */
import { type Static, Type } from 'typebox'
import { HttpFault, Latency, object, scenarioReader } from './scenario.ts'
import { WhoisScenario } from './whois.ts'

const Instant = Type.String({ format: 'date-time' })

const RdapDomain = object({
  /** RFC 3339; without it, the answer has no registration event. */
  registered_at: Type.Optional(Instant),
  expires_at: Type.Optional(Instant),
  changed_at: Type.Optional(Instant),
  /** Status values of RFC 9083 section 10.2.2; default `["active"]`. */
  status: Type.Optional(Type.Array(Type.String())),
  /** Answers 302 with this Location instead: an absolute URL, or a path on this server. */
  redirect_to: Type.Optional(Type.String()),
  latency_ms: Latency,
  fault: Type.Optional(HttpFault),
})
export type RdapDomain = Static<typeof RdapDomain>

export const RdapScenario = object({
  /** Delay of every domain answer in milliseconds. The bootstrap file has no delay. */
  latency_ms: Latency,
  /** The fault of every domain answer. */
  fault: Type.Optional(HttpFault),
  /** The fault of the bootstrap file. */
  bootstrap_fault: Type.Optional(HttpFault),
  /** Seconds in the Retry-After header of a 429; default no such header. */
  retry_after_s: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 })),
  /**
   * Suffixes that the bootstrap file `/dns.json` assigns to this server. Default: `com`, `net`,
   * `org`, the reserved `example`, `test` and `invalid`, and the suffixes of `domains`.
   */
  suffixes: Type.Optional(Type.Array(Type.String())),
  /** Name in lower case and A-labels → registration. Every other name is a 404. */
  domains: Type.Record(Type.String(), RdapDomain),
  whois: Type.Optional(WhoisScenario),
})
export type RdapScenario = Static<typeof RdapScenario>

/** @throws Error with a sentence that names the invalid member */
export const readRdapScenario = scenarioReader('rdap', RdapScenario)

/** A built-in scenario with a name of every kind. */
export const example: RdapScenario = {
  suffixes: ['example', 'test'],
  domains: {
    'old.example': {
      registered_at: '2001-03-14T09:26:53Z',
      expires_at: '2031-03-14T09:26:53Z',
      changed_at: '2024-03-01T00:00:00Z',
    },
    'new.example': { registered_at: '2026-01-29T08:00:00Z' },
    'undated.example': {},
    'moved.example': { redirect_to: '/domain/old.example' },
    'busy.example': { fault: '429' },
    'slow.example': { registered_at: '2001-03-14T09:26:53Z', latency_ms: 5_000 },
  },
  whois: {
    queries: {
      invalid: { text: 'refer:        {self}\r\n\r\ndomain:       INVALID\r\n' },
      'old.invalid': {
        text: 'Domain Name: OLD.INVALID\r\nCreation Date: 2003-05-06T07:08:09Z\r\n',
      },
    },
  },
}
