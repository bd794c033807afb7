/** Answers a DNS question from a scenario. Pure: the position in sequences is passed in. */
import type { Answer, RecordType, SoaAnswer } from 'dns-packet'
import type { Query, Reply } from './dns-message.ts'
import type { DnsScenario, NameEntry, RecordSet } from './dns-scenario.ts'

const OPCODE_QUERY = 0
const MAX_ALIASES = 8
const MAX_STRING_BYTES = 255

/** Returns how many queries of this name and type came before, for `sequence`. */
export type Turn = (name: string, type: RecordType) => number

export function answerQuery(scenario: DnsScenario, query: Query, turn: Turn): Reply {
  if (query.opcode !== OPCODE_QUERY) return { code: 'notimp' }
  if (query.question === undefined) return { code: 'formerr' }
  if (query.question.class !== 'IN') return { code: 'refused' }
  const { type } = query.question
  const answers: Answer[] = []
  let owner = nameIn(query.question)
  for (let alias = 0; alias <= MAX_ALIASES; alias += 1) {
    const entry = findEntry(scenario, owner)
    if (entry === undefined) return negative(scenario, owner, answers)
    const set = currentSet(entry, owner, type, turn)
    const at = { name: owner, ttl: entry.ttl ?? 0 }
    const records = recordsOf(set, type, at)
    answers.push(...records)
    if (records.length > 0) return { code: 'noerror', answers }
    if (set.CNAME === undefined) return negative(scenario, owner, answers)
    answers.push(...recordsOf(set, 'CNAME', at))
    owner = set.CNAME.toLowerCase().replace(/\.$/, '')
  }
  return { code: 'servfail' }
}

/** The name of a question in lower case, empty for the root. */
export const nameIn = ({ name }: { name: string }): string =>
  name === '.' ? '' : name.toLowerCase()

/** Finds the entry of a name: its own, else the nearest wildcard above it. */
export function findEntry(scenario: DnsScenario, name: string): NameEntry | undefined {
  const own = entryOf(scenario, name)
  if (own !== undefined) return own
  for (const parent of parentsOf(name)) {
    const wildcard = entryOf(scenario, `*.${parent}`)
    if (wildcard !== undefined) return wildcard
  }
  return undefined
}

const entryOf = (scenario: DnsScenario, name: string): NameEntry | undefined =>
  Object.hasOwn(scenario.names, name) ? scenario.names[name] : undefined

function currentSet(entry: NameEntry, name: string, type: RecordType, turn: Turn): RecordSet {
  if (entry.sequence === undefined) return entry
  const sets = entry.sequence
  return sets[Math.min(turn(name, type), sets.length - 1)] ?? {}
}

/**
 * NODATA when the name or a name below it is listed, else NXDOMAIN, both with the SOA record
 * (RFC 2308).
 */
function negative(scenario: DnsScenario, name: string, answers: Answer[]): Reply {
  const exists =
    findEntry(scenario, name) !== undefined ||
    Object.keys(scenario.names).some((listed) => listed.endsWith(`.${name}`))
  const authorities = [startOfAuthority(scenario, name)]
  return { code: exists ? 'noerror' : 'nxdomain', answers, authorities }
}

function startOfAuthority(scenario: DnsScenario, name: string): Answer {
  for (const zone of [name, ...parentsOf(name)]) {
    const soa = entryOf(scenario, zone)?.SOA
    if (soa !== undefined) {
      return { type: 'SOA', name: zone, ttl: soa.minttl, data: soaData(soa) }
    }
  }
  return { type: 'SOA', name: '.', ttl: 0, data: soaData(DEFAULT_SOA) }
}

/** `a.b.c` → `b.c`, `c`. */
function parentsOf(name: string): string[] {
  const labels = name.split('.')
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join('.'))
}

type Soa = NonNullable<RecordSet['SOA']>

const DEFAULT_SOA: Soa = {
  nsname: 'ns.invalid',
  hostmaster: 'hostmaster.invalid',
  serial: 1,
  refresh: 3_600,
  retry: 600,
  expire: 86_400,
  minttl: 0,
}

const soaData = ({ nsname, hostmaster, minttl, ...rest }: Soa): SoaAnswer['data'] => ({
  mname: nsname,
  rname: hostmaster,
  minimum: minttl,
  ...rest,
})

type Owner = { readonly name: string; readonly ttl: number }
type RecordsOf = (set: RecordSet, owner: Owner) => Answer[]

/** Type → the records of that type in a set. */
const RECORDS: Readonly<Partial<Record<RecordType, RecordsOf>>> = {
  A: ({ A = [] }, owner) => A.map((data) => ({ type: 'A', ...owner, data })),
  AAAA: ({ AAAA = [] }, owner) => AAAA.map((data) => ({ type: 'AAAA', ...owner, data })),
  NS: ({ NS = [] }, owner) => NS.map((data) => ({ type: 'NS', ...owner, data })),
  CNAME: ({ CNAME }, owner) =>
    CNAME === undefined ? [] : [{ type: 'CNAME', ...owner, data: CNAME }],
  MX: ({ MX = [] }, owner) =>
    MX.map(({ priority, exchange }) => ({
      type: 'MX',
      ...owner,
      data: { preference: priority, exchange },
    })),
  TXT: ({ TXT = [] }, owner) =>
    TXT.map((text) => ({ type: 'TXT', ...owner, data: stringsOf(text) })),
  SOA: ({ SOA }, owner) =>
    SOA === undefined ? [] : [{ type: 'SOA', ...owner, data: soaData(SOA) }],
  NAPTR: ({ NAPTR = [] }, owner) =>
    NAPTR.map(({ service, ...rest }) => ({
      type: 'NAPTR',
      ...owner,
      data: { services: service, ...rest },
    })),
}

const recordsOf = (set: RecordSet, type: RecordType, owner: Owner): Answer[] =>
  RECORDS[type]?.(set, owner) ?? []

/** RFC 1035 section 3.3: one string of a TXT record has at most 255 octets. */
function stringsOf(text: string): Buffer[] {
  const bytes = Buffer.from(text, 'utf8')
  const strings = [bytes.subarray(0, MAX_STRING_BYTES)]
  for (let start = MAX_STRING_BYTES; start < bytes.length; start += MAX_STRING_BYTES) {
    strings.push(bytes.subarray(start, start + MAX_STRING_BYTES))
  }
  return strings
}
