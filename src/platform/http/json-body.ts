/**
 * Reads a JSON body and refuses what a plain `JSON.parse` would let through to the database or
 * silently change: bytes that are not UTF-8, too deep nesting, duplicate keys, `__proto__`, numbers
 * beyond the range of a double, and text that PostgreSQL cannot store (NUL, unpaired surrogates).
 */
import { isUtf8 } from 'node:buffer'
import { invalidRequest } from './errors.ts'
import { findStructuralFault } from './json-faults.ts'

const BACKSLASH = 0x5c
const QUOTE = 0x22
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const LETTER_U = 0x75

/** @throws AppError 400 naming the offending member, or `body` when it is not JSON at all */
export function parseJsonBody(bytes: Buffer, depthMax: number): unknown {
  refuseNoText(bytes)
  const shape = scan(bytes)
  // Checked before parsing: the parser itself would recurse as deep as the sender likes.
  if (shape.depth > depthMax) throw structuralFault(bytes, depthMax)
  const value = parse(bytes.toString('utf8'))
  const members = countMembers(value, '', shape.escapes)
  if (members !== shape.members) throw structuralFault(bytes, depthMax)
  return value
}

/**
 * Without the look for duplicate keys (the last one counts), for depth and for text that cannot be
 * stored: for batches whose elements are examined one by one. V8 reads JSON without recursion.
 * @throws AppError 400 naming `body`
 */
export function parseLenientJson(bytes: Buffer): unknown {
  refuseNoText(bytes)
  return parse(bytes.toString('utf8'))
}

function refuseNoText(bytes: Buffer): void {
  if (bytes.length === 0) throw invalidRequest('body', 'The request body is empty')
  if (!isUtf8(bytes)) throw invalidRequest('body', 'The request body is not valid UTF-8')
}

type Shape = { depth: number; members: number; escapes: boolean }

/** One pass over the bytes. Each member of an object has exactly one colon outside of strings. */
function scan(bytes: Buffer): Shape {
  let depth = 0
  let deepest = 0
  let members = 0
  let escapes = false
  let inString = false
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index]
    if (inString) {
      if (byte === BACKSLASH) {
        index += 1
        if (bytes[index] === LETTER_U) escapes = true
      } else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (byte === COLON) members += 1
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth += 1
      if (depth > deepest) deepest = depth
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1
  }
  return { depth: deepest, members, escapes }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalidRequest('body', `The request body is not valid JSON: ${detailOf(error)}`)
  }
}

/** V8 says where the fault is, or quotes what is around it: that may be part of a secret. */
function detailOf(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  return WITHOUT_QUOTE.test(message) ? message : 'Unexpected token'
}

const WITHOUT_QUOTE =
  /^Unexpected end of JSON input$|^[^"]+ at position \d+(?: \(line \d+ column \d+\))?$/

/**
 * Counts the members that survived parsing (fewer than were written means duplicates) and refuses
 * values that cannot be kept as they were sent. Recursion is bounded by the depth checked before.
 */
function countMembers(value: unknown, path: string, escapes: boolean): number {
  if (typeof value === 'string') {
    if (escapes) refuseUnstorable(value, path)
    return 0
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value))
      throw invalidRequest(path || 'body', `${path || 'body'} is out of range`)
    return 0
  }
  if (typeof value !== 'object' || value === null) return 0
  let members = 0
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      members += countMembers(value[index], join(path, String(index)), escapes)
    }
    return members
  }
  for (const key of Object.keys(value)) {
    const member = join(path, key)
    if (key === '__proto__') throw invalidRequest(member, `${member} is not allowed`)
    if (escapes) refuseUnstorable(key, member)
    members += 1 + countMembers((value as Record<string, unknown>)[key], member, escapes)
  }
  return members
}

function refuseUnstorable(text: string, path: string): void {
  if (text.includes('\0') || !text.isWellFormed()) {
    const field = (path || 'body').replaceAll('\0', '').toWellFormed()
    throw invalidRequest(field, `${field} contains characters that cannot be stored`)
  }
}

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)

function structuralFault(bytes: Buffer, depthMax: number) {
  const { path, problem } = findStructuralFault(bytes.toString('utf8'), depthMax)
  return invalidRequest(path || 'body', `${path || 'The request body'} ${problem}`)
}
