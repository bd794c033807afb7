/**
 * What the DNS emulator answers to one question: a scenario, and which turn it is, in; records
 * out. No I/O.
 */
import {
  encodeAddress,
  encodeName,
  encodeNumbers16,
  encodeNumbers32,
  encodeText,
  type Query,
  type Reply,
  type ResourceRecord,
  TYPES,
} from './dns-message.ts'
import type { DnsScenario, NameEntry, RecordSet } from './dns-scenario.ts'

type TypeName = keyof typeof TYPES

const OPCODE_QUERY = 0
const CLASS_IN = 1
const MAX_ALIASES = 8

/** Counts the queries of a name and type from 0, for `sequence`. */
export type Turn = (name: string, type: TypeName) => number

export function answerQuery(scenario: DnsScenario, query: Query, turn: Turn): Reply {
  if (query.opcode !== OPCODE_QUERY) return { code: 'notimp' }
  if (query.question === undefined) return { code: 'formerr' }
  if (query.question.class !== CLASS_IN) return { code: 'refused' }
  const name = query.question.name.toLowerCase()
  const type = typeName(query.question.type)
  const answers: ResourceRecord[] = []
  let owner = name
  for (let alias = 0; alias <= MAX_ALIASES; alias += 1) {
    const entry = findEntry(scenario, owner)
    if (entry === undefined) return negative(scenario, owner, answers)
    const set = currentSet(entry, owner, type, turn)
    const ttl = entry.ttl ?? 0
    const records = type === undefined ? [] : recordData[type](set)
    answers.push(...records.map((data) => record(owner, type ?? 'A', ttl, data)))
    if (records.length > 0) return { code: 'noerror', answers }
    if (set.CNAME === undefined) return negative(scenario, owner, answers)
    answers.push(record(owner, 'CNAME', ttl, encodeName(set.CNAME)))
    owner = set.CNAME.toLowerCase().replace(/\.$/, '')
  }
  return { code: 'servfail' }
}

/** The entry of a name: its own, else the nearest wildcard above it. */
export function findEntry(scenario: DnsScenario, name: string): NameEntry | undefined {
  const own = entryOf(scenario, name)
  if (own !== undefined) return own
  for (const parent of parents(name)) {
    const wildcard = entryOf(scenario, `*.${parent}`)
    if (wildcard !== undefined) return wildcard
  }
  return undefined
}

export function typeName(type: number): TypeName | undefined {
  const names = Object.keys(TYPES) as TypeName[]
  return names.find((name) => TYPES[name] === type)
}

function entryOf(scenario: DnsScenario, name: string): NameEntry | undefined {
  return Object.hasOwn(scenario.names, name) ? scenario.names[name] : undefined
}

function currentSet(
  entry: NameEntry,
  name: string,
  type: TypeName | undefined,
  turn: Turn,
): RecordSet {
  if (entry.sequence === undefined || type === undefined) return entry
  const sets = entry.sequence
  return sets[Math.min(turn(name, type), sets.length - 1)] ?? {}
}

/** NODATA when the name or something below it is listed, else NXDOMAIN; with the SOA either way. */
function negative(scenario: DnsScenario, name: string, answers: ResourceRecord[]): Reply {
  const exists =
    findEntry(scenario, name) !== undefined ||
    Object.keys(scenario.names).some((listed) => listed.endsWith(`.${name}`))
  const authority = [startOfAuthority(scenario, name)]
  return { code: exists ? 'noerror' : 'nxdomain', answers, authority }
}

function startOfAuthority(scenario: DnsScenario, name: string): ResourceRecord {
  for (const zone of [name, ...parents(name)]) {
    const soa = entryOf(scenario, zone)?.SOA
    if (soa !== undefined) return record(zone, 'SOA', soa.minttl, soaData(soa))
  }
  const soa = {
    nsname: 'ns.invalid',
    hostmaster: 'hostmaster.invalid',
    serial: 1,
    refresh: 3_600,
    retry: 600,
    expire: 86_400,
    minttl: 0,
  }
  return record('', 'SOA', soa.minttl, soaData(soa))
}

/** `a.b.c` → `b.c`, `c`. */
function parents(name: string): string[] {
  const labels = name.split('.')
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join('.'))
}

const record = (name: string, type: TypeName, ttl: number, data: Buffer): ResourceRecord => ({
  name,
  type: TYPES[type],
  ttl,
  data,
})

const soaData = (soa: NonNullable<RecordSet['SOA']>) =>
  Buffer.concat([
    encodeName(soa.nsname),
    encodeName(soa.hostmaster),
    encodeNumbers32(soa.serial, soa.refresh, soa.retry, soa.expire, soa.minttl),
  ])

const mxData = (mx: NonNullable<RecordSet['MX']>[number]) =>
  Buffer.concat([encodeNumbers16(mx.priority), encodeName(mx.exchange)])

const naptrData = (naptr: NonNullable<RecordSet['NAPTR']>[number]) =>
  Buffer.concat([
    encodeNumbers16(naptr.order, naptr.preference),
    encodeText(naptr.flags),
    encodeText(naptr.service),
    encodeText(naptr.regexp),
    encodeName(naptr.replacement),
  ])

/** The data of a set's records, by type. */
const recordData: Readonly<Record<TypeName, (set: RecordSet) => Buffer[]>> = {
  A: (set) => (set.A ?? []).map(encodeAddress),
  AAAA: (set) => (set.AAAA ?? []).map(encodeAddress),
  MX: (set) => (set.MX ?? []).map(mxData),
  TXT: (set) => (set.TXT ?? []).map(encodeText),
  NS: (set) => (set.NS ?? []).map(encodeName),
  CNAME: (set) => (set.CNAME === undefined ? [] : [encodeName(set.CNAME)]),
  SOA: (set) => (set.SOA === undefined ? [] : [soaData(set.SOA)]),
  NAPTR: (set) => (set.NAPTR ?? []).map(naptrData),
}
