/** What the RDAP and WHOIS emulator knows and how it misbehaves. */
import { type Static, Type } from 'typebox'
import { HttpFault, Latency, scenarioReader } from './scenario.ts'
import { WhoisScenario } from './whois.ts'

const Instant = Type.String({ format: 'date-time' })

const RdapDomain = Type.Object(
  {
    /** RFC 3339. Left out: the answer has no registration event. */
    registered_at: Type.Optional(Instant),
    /** RFC 3339. */
    expires_at: Type.Optional(Instant),
    /** RFC 3339. */
    changed_at: Type.Optional(Instant),
    /** Status values of RFC 9083 section 10.2.2; `["active"]` when left out. */
    status: Type.Optional(Type.Array(Type.String())),
    /** Answer 302 with this Location instead: a whole URL, or a path on this server. */
    redirect_to: Type.Optional(Type.String()),
    /** Overrides the latency of the whole scenario. */
    latency_ms: Latency,
    /** Overrides the fault of the whole scenario. */
    fault: Type.Optional(HttpFault),
  },
  { additionalProperties: false },
)
export type RdapDomain = Static<typeof RdapDomain>

export const RdapScenario = Type.Object(
  {
    /** Wait before every domain answer, in milliseconds. The bootstrap file is never late. */
    latency_ms: Latency,
    /** What goes wrong with every domain answer. */
    fault: Type.Optional(HttpFault),
    /** What goes wrong with the bootstrap file. */
    bootstrap_fault: Type.Optional(HttpFault),
    /** Seconds in the Retry-After header of a 429; no such header when left out. */
    retry_after_s: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 })),
    /**
     * Suffixes that the bootstrap file `/dns.json` assigns to this server. Left out: `com`, `net`,
     * `org`, the reserved `example`, `test` and `invalid`, and those of the domains below.
     */
    suffixes: Type.Optional(Type.Array(Type.String())),
    /** Name (lower case, A-labels) → registration. Every other name is a 404. */
    domains: Type.Record(Type.String(), RdapDomain),
    /** The WHOIS server beside it. */
    whois: Type.Optional(WhoisScenario),
  },
  { additionalProperties: false },
)
export type RdapScenario = Static<typeof RdapScenario>

/** Throws a sentence that names the bad member. */
export const readRdapScenario = scenarioReader('rdap', RdapScenario)

/** One name of every kind, so that the emulator is of use without a file. */
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
