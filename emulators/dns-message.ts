/**
 * DNS messages (RFC 1035 section 4) for a server that answers for its own names. The codec is the
 * package `dns-packet`, which enforces the limits of names: 63 octets a label, 255 octets in all.
 */
import {
  type Answer,
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  type Question,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
} from 'dns-packet'

const CODES = { noerror: 0, formerr: 1, servfail: 2, nxdomain: 3, notimp: 4, refused: 5 } as const

export type Query = {
  readonly id: number
  readonly opcode: number
  readonly recursionDesired: boolean
  /** Undefined when the message is malformed. The case of the name is preserved for clients that check it. */
  readonly question: Question | undefined
}

export type Reply = {
  readonly code: keyof typeof CODES
  readonly answers?: readonly Answer[]
  readonly authorities?: readonly Answer[]
}

const HEADER_BYTES = 12
const RESPONSE = 0x80_00

/** Returns undefined for a message that gets no answer: it is too short, or itself an answer. */
export function decodeQuery(message: Buffer): Query | undefined {
  if (message.length < HEADER_BYTES) return undefined
  const flags = message.readUInt16BE(2)
  if ((flags & RESPONSE) !== 0) return undefined
  return {
    id: message.readUInt16BE(0),
    opcode: (flags >> 11) & 0xf,
    recursionDesired: (flags & RECURSION_DESIRED) !== 0,
    question: questionIn(message),
  }
}

/** The answer carries no OPT record of EDNS, so clients limit UDP replies to 512 bytes. */
export function encodeReply(query: Query, reply: Reply, isTruncated: boolean): Buffer {
  const recursion = query.recursionDesired ? RECURSION_DESIRED | RECURSION_AVAILABLE : 0
  const truncation = isTruncated ? TRUNCATED_RESPONSE : 0
  return encode({
    type: 'response',
    id: query.id,
    flags: AUTHORITATIVE_ANSWER | (query.opcode << 11) | truncation | recursion | CODES[reply.code],
    questions: query.question === undefined ? [] : [query.question],
    answers: isTruncated ? [] : [...(reply.answers ?? [])],
    authorities: isTruncated ? [] : [...(reply.authorities ?? [])],
  })
}

/** The codec reads labels as UTF-8, so other bytes than ASCII could not be sent back unchanged. */
function questionIn(message: Buffer): Question | undefined {
  try {
    const { questions = [] } = decode(message)
    const [question] = questions
    const isPlain = questions.length === 1 && /^[\x20-\x7e]*$/.test(question?.name ?? '')
    return isPlain ? question : undefined
  } catch {
    return undefined
  }
}
