/**
 * What the DNS emulator knows and how it misbehaves. Record data has the shape that node:dns
 * returns for it, so that an answer of a real resolver can be pasted into a scenario.
 */
import { type Static, Type } from 'typebox'
import { Latency, scenarioReader } from './scenario.ts'

const Unsigned16 = Type.Integer({ minimum: 0, maximum: 65_535 })
const Unsigned32 = Type.Integer({ minimum: 0, maximum: 4_294_967_295 })
const DomainName = Type.String({ maxLength: 254, format: 'domain-name' })

const Mx = Type.Object(
  {
    /** Lower is preferred. */
    priority: Unsigned16,
    /** Host name; `.` is the null MX of RFC 7505. */
    exchange: DomainName,
  },
  { additionalProperties: false },
)

const Soa = Type.Object(
  {
    nsname: DomainName,
    hostmaster: DomainName,
    serial: Unsigned32,
    refresh: Unsigned32,
    retry: Unsigned32,
    expire: Unsigned32,
    /** Seconds that a negative answer may be kept. */
    minttl: Unsigned32,
  },
  { additionalProperties: false },
)

const Naptr = Type.Object(
  {
    order: Unsigned16,
    preference: Unsigned16,
    flags: Type.String({ maxLength: 255 }),
    /** For instance `E2U+pstn:tel`. */
    service: Type.String({ maxLength: 255 }),
    /** For instance `!^.*$!tel:+12025550100;npdi!`. */
    regexp: Type.String({ maxLength: 255 }),
    /** `.` where the regular expression is the answer. */
    replacement: DomainName,
  },
  { additionalProperties: false },
)

const recordMembers = {
  /** IPv4 addresses. */
  A: Type.Optional(Type.Array(Type.String({ format: 'ipv4' }))),
  /** IPv6 addresses. */
  AAAA: Type.Optional(Type.Array(Type.String({ format: 'ipv6' }))),
  /** Mail servers. */
  MX: Type.Optional(Type.Array(Mx)),
  /** Texts; one longer than 255 bytes is sent as several strings, as the protocol wants it. */
  TXT: Type.Optional(Type.Array(Type.String())),
  /** Name servers. */
  NS: Type.Optional(Type.Array(DomainName)),
  /** Start of authority; sent with negative answers for this name and everything below it. */
  SOA: Type.Optional(Soa),
  /** Canonical name; the answer goes on with the records of that name. */
  CNAME: Type.Optional(DomainName),
  /** Rewrite rules, for ENUM. */
  NAPTR: Type.Optional(Type.Array(Naptr)),
}

const RecordSet = Type.Object(recordMembers, { additionalProperties: false })
export type RecordSet = Static<typeof RecordSet>

/**
 * `servfail`, `refused`: that response code. `timeout`: no answer at all. `truncated`: an empty
 * answer with the TC bit over UDP, the whole answer over TCP.
 */
const DnsFault = Type.Union([
  Type.Literal('servfail'),
  Type.Literal('refused'),
  Type.Literal('timeout'),
  Type.Literal('truncated'),
])

const NameEntry = Type.Object(
  {
    ...recordMembers,
    /** Time to live of the records in seconds; 0 when left out. */
    ttl: Type.Optional(Unsigned32),
    /**
     * Sets used one after another instead of the members above: the first query of a type gets
     * the first set, the second the second, and the last set stays. Counted per name and type.
     */
    sequence: Type.Optional(Type.Array(RecordSet, { minItems: 1 })),
    /** Overrides the latency of the whole scenario. */
    latency_ms: Latency,
    /** Overrides the fault of the whole scenario. */
    fault: Type.Optional(DnsFault),
    /** Record types (`A`, `MX`, …) whose queries the fault of this name hits; all when left out. */
    fault_types: Type.Optional(Type.Array(Type.String())),
  },
  { additionalProperties: false },
)
export type NameEntry = Static<typeof NameEntry>

export const DnsScenario = Type.Object(
  {
    /** Wait before every answer, in milliseconds. */
    latency_ms: Latency,
    /** What goes wrong with every answer. */
    fault: Type.Optional(DnsFault),
    /**
     * Name (no trailing dot) → its records. `*.example.com` answers for every name below
     * example.com that is not listed. Names above a listed one exist without records; all others
     * do not exist.
     */
    names: Type.Record(Type.String(), NameEntry),
  },
  { additionalProperties: false },
)
export type DnsScenario = Static<typeof DnsScenario>

/** Throws a sentence that names the bad member. */
export const readDnsScenario = scenarioReader('dns', DnsScenario)

/** A few names of every kind, so that the emulator is of use without a file. */
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
