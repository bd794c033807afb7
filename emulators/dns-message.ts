/**
 * The wire format of DNS (RFC 1035 section 4), as much of it as a server needs that speaks for its
 * own names: queries in, answers out. The OPT record of EDNS is skipped, which tells the client
 * that 512 bytes is what UDP carries here.
 */
import { isIPv4, isIPv6 } from 'node:net'

export const TYPES = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  NAPTR: 35,
} as const

const CODES = {
  noerror: 0,
  formerr: 1,
  servfail: 2,
  nxdomain: 3,
  notimp: 4,
  refused: 5,
} as const
type Code = keyof typeof CODES

export type Query = {
  readonly id: number
  readonly opcode: number
  readonly recursionDesired: boolean
  /** Undefined when the question section cannot be read. */
  readonly question: Question | undefined
}

/** The name as it was asked, upper and lower case kept (clients may check that). */
type Question = { readonly name: string; readonly type: number; readonly class: number }

export type ResourceRecord = {
  readonly name: string
  readonly type: number
  readonly ttl: number
  readonly data: Buffer
}

export type Reply = {
  readonly code: Code
  readonly answers?: readonly ResourceRecord[]
  readonly authority?: readonly ResourceRecord[]
}

const HEADER_BYTES = 12
const CLASS_IN = 1
const QUESTION_POINTER = 0xc0_0c

/** Undefined for what is not a query at all and gets no answer: too short, or itself an answer. */
export function decodeQuery(message: Buffer): Query | undefined {
  if (message.length < HEADER_BYTES) return undefined
  const flags = message.readUInt16BE(2)
  if ((flags & 0x80_00) !== 0) return undefined
  return {
    id: message.readUInt16BE(0),
    opcode: (flags >> 11) & 0xf,
    recursionDesired: (flags & 0x01_00) !== 0,
    question: message.readUInt16BE(4) === 1 ? decodeQuestion(message) : undefined,
  }
}

export function encodeReply(query: Query, reply: Reply, truncated: boolean): Buffer {
  const answers = truncated ? [] : (reply.answers ?? [])
  const authority = truncated ? [] : (reply.authority ?? [])
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt16BE(query.id, 0)
  header.writeUInt16BE(
    0x84_00 |
      (query.opcode << 11) |
      (truncated ? 0x02_00 : 0) |
      (query.recursionDesired ? 0x01_80 : 0) |
      CODES[reply.code],
    2,
  )
  header.writeUInt16BE(query.question === undefined ? 0 : 1, 4)
  header.writeUInt16BE(answers.length, 6)
  header.writeUInt16BE(authority.length, 8)
  const asked = query.question?.name
  const records = [...answers, ...authority].map((record) => encodeRecord(record, asked))
  return Buffer.concat([header, encodeQuestion(query.question), ...records])
}

/** Throws a sentence when the text is no domain name. The root is `.` or empty. */
export function encodeName(name: string): Buffer {
  const labels = name.replace(/\.$/, '').split('.')
  if (labels.length === 1 && labels[0] === '') return Buffer.from([0])
  const parts = labels.map((label) => {
    const bytes = Buffer.from(label, 'latin1')
    if (bytes.length === 0 || bytes.length > 63) throw new Error(`"${name}" is no domain name`)
    return Buffer.concat([Buffer.from([bytes.length]), bytes])
  })
  return Buffer.concat([...parts, Buffer.from([0])])
}

export function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8')
  const parts: Buffer[] = []
  for (let start = 0; start === 0 || start < bytes.length; start += 255) {
    const part = bytes.subarray(start, start + 255)
    parts.push(Buffer.from([part.length]), part)
  }
  return Buffer.concat(parts)
}

export const encodeNumbers16 = (...numbers: number[]) =>
  Buffer.concat(numbers.map((number) => Buffer.from([number >> 8, number & 0xff])))

export function encodeNumbers32(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4)
  for (const [index, number] of numbers.entries()) bytes.writeUInt32BE(number, index * 4)
  return bytes
}

/** Throws a sentence when the text is no IP address. */
export function encodeAddress(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  if (!isIPv6(address)) throw new Error(`"${address}" is no IP address`)
  // The URL parser writes an embedded IPv4 part as two groups, which leaves only groups and `::`.
  const plain = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const [before = '', after] = plain.split('::')
  const head = before.split(':').filter(Boolean)
  const tail = (after ?? '').split(':').filter(Boolean)
  const gap = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return encodeNumbers16(...[...head, ...gap, ...tail].map((group) => Number.parseInt(group, 16)))
}

function decodeQuestion(message: Buffer): Question | undefined {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (;;) {
    const length = message[at]
    if (length === undefined || length > 63) return undefined
    at += 1
    if (length === 0) break
    if (at + length > message.length || at - HEADER_BYTES > 255) return undefined
    labels.push(message.toString('latin1', at, at + length))
    at += length
  }
  if (at + 4 > message.length) return undefined
  const name = labels.join('.')
  return { name, type: message.readUInt16BE(at), class: message.readUInt16BE(at + 2) }
}

function encodeQuestion(question: Question | undefined): Buffer {
  if (question === undefined) return Buffer.alloc(0)
  return Buffer.concat([encodeName(question.name), encodeNumbers16(question.type, question.class)])
}

function encodeRecord(record: ResourceRecord, asked: string | undefined): Buffer {
  const isAsked = record.name.toLowerCase() === asked?.toLowerCase()
  const owner = isAsked ? encodeNumbers16(QUESTION_POINTER) : encodeName(record.name)
  return Buffer.concat([
    owner,
    encodeNumbers16(record.type, CLASS_IN),
    encodeNumbers32(record.ttl),
    encodeNumbers16(record.data.length),
    record.data,
  ])
}
