/**
 * One log entry as it was sent (specification, "Edge log entry"), held against the contract and
 * written as the line of JSON that ClickHouse takes. By hand, because it is done a hundred thousand
 * times a second: a compiled schema would have to be followed by all of this anyway.
 */

import { isDeeperThan } from '../../../../platform/json-depth.ts'
import { readTimestamp } from '../../../../platform/told-time.ts'
import { type ErrorFacts, groupError } from '../../../error-groups/index.ts'
import type { ElementFault } from '../../../intake/index.ts'
import { ERROR_LEVELS, LEVELS, type Level } from '../level.ts'
import { searchedWords } from '../reading/search-query.ts'
import {
  DEVICE_ID_MAX_CHARS,
  type EntryLimits,
  ERROR_NAME_MAX_CHARS,
  NAME_MAX_CHARS,
  TAGS_MAX,
} from './limits.ts'

/** What all entries of a batch have in common. */
export type BatchFacts = {
  org_id: string
  mode: 'live' | 'test'
  received_at: Date
  /** A UUID; its last four digits give way to the number of the entry. */
  id: string
  /** Whether a text may hold half of a surrogate pair. */
  may_be_ill_formed: boolean
}

export type Accepted = { line: string; device_id: string }

/** @param index number of the entry in its batch, below 65,536 */
export type EntryReader = (entry: unknown, index: number) => Accepted | ElementFault

/** A reader for the entries of one batch. Never throws. */
export function createEntryReader(limits: EntryLimits, batch: BatchFacts): EntryReader {
  const message_max = limits.edge_message_max_chars
  const receivedMs = batch.received_at.getTime()
  const head = headOf(batch)
  const quote = batch.may_be_ill_formed ? quoteWellFormed : quotePlain
  const member = (name: string, value: unknown): string =>
    value === undefined || value === null || value === ''
      ? ''
      : `,"${name}":${quote(value as string)}`

  return (entry, index) => {
    if (!isObject(entry)) return { field: '', problem: 'must be object' }
    const { device_id, level, message } = entry
    // Apps write null where they have nothing.
    const timestamp = entry['timestamp'] ?? undefined
    const error = entry['error'] ?? undefined
    const data = entry['data'] ?? undefined
    const tags = entry['tags'] ?? undefined
    const fault =
      faultOfDevice(device_id) ??
      faultOfLevel(level) ??
      (message === undefined
        ? { field: 'message', problem: 'is required' }
        : faultOfText('message', message, message_max)) ??
      faultOfNames(entry) ??
      faultOfError(error, message_max) ??
      faultOfTags(tags)
    if (fault !== undefined) return fault
    const toldMs = timestamp === undefined ? receivedMs : readTimestamp(timestamp)
    if (toldMs === undefined) {
      return { field: 'timestamp', problem: 'must be an ISO 8601 date or a Unix timestamp' }
    }
    const dataText = data === undefined ? '' : jsonOf(data, limits)
    if (typeof dataText !== 'string') return dataText

    let line = `${head}${fourDigits(index)}","timestamp_ms":${toldMs},"device_id":${quote(device_id as string)},"level":"${level as Level}","message":${quote(message as string)}`
    line += member('words', searchedWords(message as string))
    line += member('category', entry['category'])
    line += member('environment', entry['environment'])
    line += member('trace_id', entry['trace_id'])
    line += member('span_id', entry['span_id'])
    if (error !== undefined) {
      const { type, code, stack } = error as SentError
      line += member('error_type', type) + member('error_code', code) + member('error_stack', stack)
    }
    if (ERROR_LEVELS.includes(level as Level)) {
      const { fingerprint } = groupError(factsOf(message as string, error))
      line += `,"error_fingerprint":"${fingerprint}"`
    }
    if (dataText !== '') line += `,"data":${JSON.stringify(dataText)}`
    if (tags !== undefined) line += `,"tags":[${(tags as string[]).map(quote).join(',')}]`
    return { line: `${line}}\n`, device_id: wellFormed(device_id as string, batch) }
  }
}

type SentError = { type?: string | null; code?: string | null; stack?: string | null }

/** Empty texts count as not sent. */
const factsOf = (message: string, error: SentError = {}): ErrorFacts => ({
  message,
  type: error.type || undefined,
  code: error.code || undefined,
  stack: error.stack || undefined,
})

type Members = Readonly<Record<string, unknown>>

/** As ClickHouse reads it: 2026-03-01 12:00:00.000 in UTC. */
function headOf({ org_id, mode, received_at, id }: BatchFacts): string {
  const receivedAt = received_at.toISOString().replace('T', ' ').replace('Z', '')
  return `{"org_id":"${org_id}","mode":"${mode}","received_at":"${receivedAt}","id":"${id.slice(0, -4)}`
}

const fourDigits = (index: number): string => (index + 0x1_0000).toString(16).slice(1)

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const quotePlain = (text: string): string => JSON.stringify(text)
const quoteWellFormed = (text: string): string => JSON.stringify(text.toWellFormed())
const wellFormed = (text: string, { may_be_ill_formed }: BatchFacts): string =>
  may_be_ill_formed ? text.toWellFormed() : text

function faultOfDevice(given: unknown): ElementFault | undefined {
  const field = 'device_id'
  if (given === undefined) return { field, problem: 'is required' }
  if (given === '') return { field, problem: 'must not have fewer than 1 characters' }
  const fault = faultOfText(field, given, DEVICE_ID_MAX_CHARS)
  if (fault !== undefined) return fault
  // Devices are kept in PostgreSQL, which has no such text.
  if ((given as string).includes('\0'))
    return { field, problem: 'must not contain a NUL character' }
  return undefined
}

function faultOfLevel(given: unknown): ElementFault | undefined {
  if (LEVELS.includes(given as Level)) return undefined
  const problem = given === undefined ? 'is required' : `must be one of ${LEVELS.join(', ')}`
  return { field: 'level', problem }
}

const faultOfNames = (entry: Members): ElementFault | undefined =>
  faultOfMaybe('category', entry['category'], NAME_MAX_CHARS) ??
  faultOfMaybe('environment', entry['environment'], NAME_MAX_CHARS) ??
  faultOfMaybe('trace_id', entry['trace_id'], NAME_MAX_CHARS) ??
  faultOfMaybe('span_id', entry['span_id'], NAME_MAX_CHARS)

function faultOfError(error: unknown, stackMaxChars: number): ElementFault | undefined {
  if (error === undefined) return undefined
  if (!isObject(error)) return { field: 'error', problem: 'must be object' }
  return (
    faultOfMaybe('error.type', error['type'], ERROR_NAME_MAX_CHARS) ??
    faultOfMaybe('error.code', error['code'], ERROR_NAME_MAX_CHARS) ??
    faultOfMaybe('error.stack', error['stack'], stackMaxChars)
  )
}

function faultOfTags(tags: unknown): ElementFault | undefined {
  if (tags === undefined) return undefined
  if (!Array.isArray(tags)) return { field: 'tags', problem: 'must be array' }
  if (tags.length > TAGS_MAX) {
    return { field: 'tags', problem: `must not have more than ${TAGS_MAX} items` }
  }
  for (let index = 0; index < tags.length; index += 1) {
    const fault = faultOfText('tags', tags[index], NAME_MAX_CHARS)
    if (fault !== undefined) return { field: `tags.${index}`, problem: fault.problem }
  }
  return undefined
}

const faultOfMaybe = (field: string, value: unknown, maxChars: number): ElementFault | undefined =>
  value === undefined || value === null ? undefined : faultOfText(field, value, maxChars)

function faultOfText(field: string, value: unknown, maxChars: number): ElementFault | undefined {
  if (typeof value !== 'string') return { field, problem: 'must be string' }
  if (value.length <= maxChars || charsOf(value) <= maxChars) return undefined
  return { field, problem: `must not have more than ${maxChars} characters` }
}

/** As everywhere in the interface: a pair of surrogates is one character. */
function charsOf(text: string): number {
  let chars = 0
  for (const _ of text) chars += 1
  return chars
}

function jsonOf(
  data: unknown,
  { edge_data_max_bytes: maxBytes, json_max_depth: levels }: EntryLimits,
): string | ElementFault {
  const field = 'data'
  if (!isObject(data)) return { field, problem: 'must be object' }
  if (isDeeperThan(data, levels)) {
    return { field, problem: `is nested more than ${levels} levels deep` }
  }
  const text = JSON.stringify(data)
  const fits = text.length * UTF8_BYTES_MAX <= maxBytes || Buffer.byteLength(text) <= maxBytes
  return fits ? text : { field, problem: `must not be larger than ${maxBytes} bytes` }
}

/** Of one unit of UTF-16. */
const UTF8_BYTES_MAX = 3
