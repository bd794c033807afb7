/**
 * The scenario of the DNS emulator: its records and faults. Record data has the shape that node:dns
 * returns, so that the answer of a real resolver can be pasted into a scenario.
 */
import { type Static, Type } from 'typebox'
import { Latency, object, oneOf, scenarioReader } from './scenario.ts'

const Unsigned16 = Type.Integer({ minimum: 0, maximum: 65_535 })
const Unsigned32 = Type.Integer({ minimum: 0, maximum: 4_294_967_295 })
const DomainName = Type.String({ format: 'domain-name' })

const Mx = object({
  /** The lowest value is preferred. */
  priority: Unsigned16,
  /** Host name; `.` is the null MX of RFC 7505. */
  exchange: DomainName,
})

const Soa = object({
  nsname: DomainName,
  hostmaster: DomainName,
  serial: Unsigned32,
  refresh: Unsigned32,
  retry: Unsigned32,
  expire: Unsigned32,
  /** Seconds for which a negative answer may be cached. */
  minttl: Unsigned32,
})

const Naptr = object({
  order: Unsigned16,
  preference: Unsigned16,
  flags: Type.String({ maxLength: 255 }),
  /** For instance `E2U+pstn:tel`. */
  service: Type.String({ maxLength: 255 }),
  /** For instance `!^.*$!tel:+12025550100;npdi!`. */
  regexp: Type.String({ maxLength: 255 }),
  /** `.` when the regular expression yields the answer. */
  replacement: DomainName,
})

const recordMembers = {
  A: Type.Optional(Type.Array(Type.String({ format: 'ipv4' }))),
  AAAA: Type.Optional(Type.Array(Type.String({ format: 'ipv6' }))),
  MX: Type.Optional(Type.Array(Mx)),
  /** Texts. One longer than 255 bytes is sent as several strings, as the protocol requires. */
  TXT: Type.Optional(Type.Array(Type.String())),
  NS: Type.Optional(Type.Array(DomainName)),
  /** Start of authority, sent with negative answers for this name and every name below it. */
  SOA: Type.Optional(Soa),
  /** Canonical name. The answer continues with the records of that name. */
  CNAME: Type.Optional(DomainName),
  /** Rewrite rules, for ENUM. */
  NAPTR: Type.Optional(Type.Array(Naptr)),
}

const RecordSet = object(recordMembers)
export type RecordSet = Static<typeof RecordSet>

/**
 * `servfail` and `refused` answer with that response code, `timeout` sends no answer, `truncated`
 * sends an empty answer with the TC bit over UDP and the whole answer over TCP.
 */
const DnsFault = oneOf('servfail', 'refused', 'timeout', 'truncated')

const NameEntry = object({
  ...recordMembers,
  /** Time to live of the records in seconds; default 0. */
  ttl: Type.Optional(Unsigned32),
  /**
   * Record sets used in turn instead of the members above: the first query of a type gets the
   * first set, the second query the second set, and all later queries the last set. Queries are
   * counted per name and type.
   */
  sequence: Type.Optional(Type.Array(RecordSet, { minItems: 1 })),
  latency_ms: Latency,
  fault: Type.Optional(DnsFault),
  /** Record types (`A`, `MX`, …) to which the fault of this name applies; default all. */
  fault_types: Type.Optional(Type.Array(Type.String())),
})
export type NameEntry = Static<typeof NameEntry>

export const DnsScenario = object({
  latency_ms: Latency,
  fault: Type.Optional(DnsFault),
  /**
   * Name without a trailing dot → its records. `*.example.com` answers for every name below
   * example.com that is not listed. Names above a listed name exist without records; all other
   * names do not exist.
   */
  names: Type.Record(Type.String(), NameEntry),
})
export type DnsScenario = Static<typeof DnsScenario>

/** @throws Error with a sentence that names the invalid member */
export const readDnsScenario = scenarioReader('dns', DnsScenario)

/** A built-in scenario with names of every kind. */
export const example: DnsScenario = {
  names: {
    'example.com': { MX: [{ priority: 0, exchange: '.' }], A: ['192.0.2.10'] },
    'mail.example': {
      MX: [
        { priority: 10, exchange: 'mx1.mail.example' },
        { priority: 20, exchange: 'mx2.mail.example' },
      ],
      TXT: ['v=spf1 mx -all'],
      NS: ['ns1.mail.example'],
    },
    'mx1.mail.example': { A: ['198.51.100.1'] },
    'mx2.mail.example': { A: ['198.51.100.2'], AAAA: ['2001:db8::2'] },
    'web-only.example': { A: ['198.51.100.3'] },
    'no-mail.example': { TXT: ['nothing to see'] },
    'broken.example': { fault: 'servfail' },
    'silent.example': { fault: 'timeout' },
    'inward.example': { MX: [{ priority: 10, exchange: 'localhost' }] },
    '0.0.1.0.5.5.5.2.0.2.1.e164.arpa': {
      NAPTR: [
        {
          order: 10,
          preference: 10,
          flags: 'u',
          service: 'E2U+pstn:tel',
          regexp: '!^.*$!tel:+12025550100;npdi;rn=+12025550000!',
          replacement: '.',
        },
      ],
    },
  },
}
