/**
 * Reads a JSON body and rejects input that a plain `JSON.parse` would accept or silently change:
 * bytes that are not UTF-8, excessive nesting, duplicate keys, `__proto__`, numbers beyond the range
 * of a double, and text that PostgreSQL cannot store (NUL, unpaired surrogates).
 */
import { isAscii, isUtf8 } from 'node:buffer'
import { randomInt } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type AppError, invalidRequest, shortened } from './errors.ts'
import { findStructuralFaults, type StructuralFault } from './json-faults.ts'

export type JsonLimits = {
  depth_max: number
  /** Maximum of commas and opening brackets. Parsing takes time for each value, not for each byte. */
  values_max: number
}

/** Others take a turn between the scan and the parsing of a longer body, which take some milliseconds each. */
const LONG_BYTES = 131_072
const BACKSLASH = 0x5c
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const SPACE = 0x20
const LETTER_U = 0x75
const BYTE_ORDER_MARK = '\ufeff'
/**
 * V8 keeps a description of each sequence of names with which an object begins. A new one costs ten times
 * as much as a known one, or a hundred times in large objects. Real bodies repeat theirs: a full batch of
 * logs can have 32 new ones in each entry.
 */
const SHAPES_MAX = 32_768
const TOO_MANY_SHAPES = `The request body has more than ${SHAPES_MAX} different sequences of member names`
/** A smaller body cannot have too many, and usual ones are not slowed down. */
const MEMBER_MIN_BYTES = 5
/** Sequences are distinguished by some bits of a hash with a seed that strangers do not know. */
const SHAPE_SLOTS = 262_144
const SEED = randomInt(SHAPE_SLOTS)
const FNV_PRIME = 16_777_619
/** No real name comes near; one of megabytes would be copied and searched several times. */
const NAME_MAX_BYTES = 1024
const LONG_NAME = `The request body has a member name of more than ${NAME_MAX_BYTES} bytes`
const UNSTORABLE = 'contains characters that cannot be stored'

/**
 * @param list name of the top-level list with elements that are judged one by one: a faulty element is
 *   replaced by its AppError, with a path inside of the element
 * @throws AppError 400 naming the offending member, or `body` when the text is not JSON
 */
export function parseJsonBody(bytes: Buffer, limits: JsonLimits, list?: string): unknown {
  refuseNoText(bytes)
  const scanned = scan(bytes, limits, NAME_MAX_BYTES)
  const text = bytes.toString('utf8')
  const faults = new Map<number, AppError>()
  const examineStructure = () => {
    const { whole, elements } = findStructuralFaults(text, limits.depth_max, list)
    if (whole) throw refusal(whole)
    for (const [index, fault] of elements) faults.set(index, refusal(fault))
  }
  // Checked before the steps that recurse into the value, whose depth the sender chooses.
  const isTooDeep = scanned.depth > limits.depth_max
  if (isTooDeep) examineStructure()
  const value = parse(text)
  const elements = list === undefined ? undefined : listIn(value, list)
  const rest = elements === undefined ? value : { ...(value as object), [list ?? '']: [] }
  let members = counted(inspect(rest, scanned.escapes))
  for (const [index, element] of elements?.entries() ?? []) {
    if (faults.has(index)) continue
    const found = inspect(element, scanned.escapes)
    if (typeof found === 'number') members += found
    else faults.set(index, refusal(faultOf(found)))
  }
  if (members !== scanned.members && !isTooDeep) examineStructure()
  if (elements) for (const [index, fault] of faults) elements[index] = fault
  return value
}

/**
 * Does not check for duplicate keys (the last one wins), depth and text that cannot be stored. For
 * batches whose elements are examined one by one. V8 parses JSON without recursion.
 * @throws AppError 400 naming `body`
 */
export async function parseLenientJson(bytes: Buffer, limits: JsonLimits): Promise<unknown> {
  refuseNoText(bytes)
  // Usual batches stay far below the limits, and do without the slower scan that knows strings.
  if (mayExceed(bytes, limits)) scan(bytes, limits)
  if (bytes.length > LONG_BYTES) await setImmediate()
  // Copying ASCII is several times as fast as decoding it.
  return parse(bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8'))
}

function refuseNoText(bytes: Buffer): void {
  if (bytes.length === 0) throw invalidRequest('body', 'The request body is empty')
  if (!isUtf8(bytes)) throw invalidRequest('body', 'The request body is not valid UTF-8')
}

const tooManyValues = ({ values_max }: JsonLimits): AppError =>
  invalidRequest(
    'body',
    `The request body has too many members and elements: more than ${values_max} commas and opening brackets`,
  )

type Scanned = { depth: number; members: number; escapes: boolean }

/**
 * Scans the bytes once. Each member of an object has exactly one colon outside strings.
 * @throws AppError 400 as soon as a limit is exceeded
 */
function scan(bytes: Buffer, limits: JsonLimits, nameMaxBytes = Infinity): Scanned {
  let depth = 0
  let deepest = 0
  let members = 0
  let values = 0
  let shapes = 0
  let escapes = false
  let lastText = 0
  let lastTextEnd = 0
  const seen =
    bytes.length > SHAPES_MAX * MEMBER_MIN_BYTES ? new Uint8Array(SHAPE_SLOTS) : undefined
  /** Hashes of the names so far, of each open object. */
  const open = [SEED]
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index]
    if (byte === QUOTE) {
      lastText = index
      for (index += 1; index < bytes.length && bytes[index] !== QUOTE; index += 1) {
        if (bytes[index] !== BACKSLASH) continue
        index += 1
        if (bytes[index] === LETTER_U) escapes = true
      }
      lastTextEnd = index
    } else if (byte === COMMA) values += 1
    else if (byte === COLON) {
      members += 1
      if (lastTextEnd - lastText - 1 > nameMaxBytes) throw invalidRequest('body', LONG_NAME)
      if (seen) {
        const shape = hashOf(bytes, lastText, lastTextEnd, open[depth] ?? SEED)
        open[depth] = shape
        const slot = (shape ^ (shape >>> 14)) & (SHAPE_SLOTS - 1)
        shapes += 1 - (seen[slot] ?? 0)
        seen[slot] = 1
        if (shapes > SHAPES_MAX) throw invalidRequest('body', TOO_MANY_SHAPES)
      }
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      values += 1
      depth += 1
      if (depth > deepest) deepest = depth
      open[depth] = SEED
    } else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && depth > 0) depth -= 1
    if (values > limits.values_max) throw tooManyValues(limits)
  }
  return { depth: deepest, members, escapes }
}

/** FNV-1a, continued from a hash. The opening quote is included, as a separator of names. */
function hashOf(bytes: Buffer, start: number, end: number, from: number): number {
  let hash = from
  for (let index = start; index < end; index += 1) {
    hash = Math.imul(hash ^ (bytes[index] ?? 0), FNV_PRIME)
  }
  return hash
}

/**
 * Counts commas, opening brackets and colons, those inside of strings included. Ends when the rest is too short
 * to exceed a limit, which in usual bodies is soon.
 */
function mayExceed(bytes: Buffer, { values_max }: JsonLimits): boolean {
  let values = 0
  let members = 0
  for (let start = 0; start < bytes.length; start += COUNTED_BYTES) {
    const left = bytes.length - start
    if (values + left <= values_max && members + left / MEMBER_MIN_BYTES <= SHAPES_MAX) return false
    const end = Math.min(bytes.length, start + COUNTED_BYTES)
    for (let index = start; index < end; index += 1) {
      const byte = bytes[index]
      if (byte === COMMA || byte === OPEN_OBJECT || byte === OPEN_ARRAY) values += 1
      else if (byte === COLON && mayEndName(bytes[index - 1])) members += 1
    }
  }
  return values > values_max || members > SHAPES_MAX
}

const COUNTED_BYTES = 4096

/** A name ends with a quote, after which white space is allowed. Other colons are part of texts, such as URLs. */
const mayEndName = (byte: number | undefined): boolean =>
  byte === QUOTE || (byte !== undefined && byte <= SPACE)

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalidRequest('body', `The request body is not valid JSON: ${detailOf(error, text)}`)
  }
}

/** V8 reports the position of a fault or quotes its surroundings, which may contain a secret. */
function detailOf(error: unknown, text: string): string {
  if (text.startsWith(BYTE_ORDER_MARK)) return 'It begins with a byte order mark'
  const message = error instanceof Error ? error.message : ''
  return WITHOUT_QUOTE.test(message) ? message : 'Unexpected token'
}

const WITHOUT_QUOTE =
  /^Unexpected end of JSON input$|^[^"]+ at position \d+(?: \(line \d+ column \d+\))?$/

function listIn(value: unknown, name: string): unknown[] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const list = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
  return Array.isArray(list) ? list : undefined
}

/** A value that cannot be stored unchanged, and its path from the inside to the outside. */
type Found = { path: string[]; problem: string }

/**
 * Counts the members after parsing: fewer than in the text means duplicates. Recursion is bounded by
 * the depth that was checked before. A path is only built on the way back from a fault.
 */
function inspect(value: unknown, escapes: boolean): number | Found {
  if (typeof value === 'string') {
    return escapes && isUnstorable(value) ? { path: [], problem: UNSTORABLE } : 0
  }
  if (typeof value === 'number') {
    return Number.isFinite(value) ? 0 : { path: [], problem: 'is out of range' }
  }
  if (typeof value !== 'object' || value === null) return 0
  let members = 0
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const found = inspect(value[index], escapes)
      if (typeof found !== 'number') return inside(found, String(index))
      members += found
    }
    return members
  }
  for (const key of Object.keys(value)) {
    if (key === '__proto__') return { path: [key], problem: 'is not allowed' }
    if (escapes && isUnstorable(key)) return { path: [key], problem: UNSTORABLE }
    const found = inspect((value as Record<string, unknown>)[key], escapes)
    if (typeof found !== 'number') return inside(found, key)
    members += 1 + found
  }
  return members
}

function inside(found: Found, segment: string): Found {
  found.path.push(segment)
  return found
}

/** @throws AppError for a fault that concerns the whole body */
function counted(found: number | Found): number {
  if (typeof found === 'number') return found
  throw refusal(faultOf(found))
}

const faultOf = ({ path, problem }: Found): StructuralFault => ({
  path: path.toReversed().map(shortened).join('.'),
  problem,
})

const isUnstorable = (text: string): boolean => text.includes('\0') || !text.isWellFormed()

function refusal({ path, problem }: StructuralFault): AppError {
  const field = path.replaceAll('\0', '').toWellFormed() || 'body'
  return invalidRequest(field, `${field} ${problem}`)
}
