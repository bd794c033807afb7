/**
 * Validates a log entry (specification, "Edge log entry") and writes it as the line of JSON that
 * ClickHouse inserts. It is written by hand because it runs a hundred thousand times a second, and a
 * compiled schema would have to be followed by most of this anyway.
 */
import { isObject } from '../../../../platform/is-object.ts'
import { isDeeperThan } from '../../../../platform/json-depth.ts'
import { readReportedTime } from '../../../../platform/reported-time.ts'
import type { ErrorFacts } from '../../../error-groups/index.ts'
import type { ElementFault, GroupOnReceipt } from '../../../intake/index.ts'
import { ERROR_LEVELS, LEVELS, type Level } from '../level.ts'
import { searchedWords } from '../query/words.ts'
import type { DataText } from './data-text.ts'
import {
  DEVICE_ID_MAX_CHARS,
  type EntryLimits,
  ERROR_NAME_MAX_CHARS,
  NAME_MAX_CHARS,
  TAGS_MAX,
} from './limits.ts'

/** Facts that all entries of a batch share. */
export type BatchFacts = {
  org_id: string
  mode: 'live' | 'test'
  received_at: Date
  /** A UUID whose last four digits are replaced by the index of the entry. */
  id: string
  /** Whether a text can contain a lone surrogate. */
  may_be_ill_formed: boolean
  dataText: DataText
  groupOnReceipt: GroupOnReceipt
}

export type Accepted = {
  line: string
  device_id: string
  /** It is an error, and the line does not contain its group yet. */
  is_ungrouped: boolean
}

/** @param index position of the entry in its batch, below 65,536 */
export type EntryReader = (entry: unknown, index: number) => Accepted | ElementFault

/** Creates the reader for the entries of one batch. The reader never throws. */
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
    const timestamp = given(entry['timestamp'])
    const error = given(entry['error']) as SentError | undefined
    const data = given(entry['data'])
    const tags = given(entry['tags'])
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
    const timestampMs = timestamp === undefined ? receivedMs : readReportedTime(timestamp)
    if (timestampMs === undefined) {
      return { field: 'timestamp', problem: 'must be an ISO 8601 date or a Unix timestamp' }
    }
    const dataFault = data === undefined ? undefined : faultOfData(data, limits)
    if (dataFault !== undefined) return dataFault
    const dataText = data === undefined ? '' : batch.dataText(data as object, index)
    if (isLarger(dataText, limits.edge_data_max_bytes)) {
      const problem = `must not be larger than ${limits.edge_data_max_bytes} bytes`
      return { field: 'data', problem }
    }

    let line = `${head}${fourDigits(index)}","timestamp_ms":${timestampMs},"device_id":${quote(device_id as string)},"level":"${level as Level}","message":${quote(message as string)}`
    line += member('words', searchedWords(message as string))
    line += member('category', entry['category'])
    line += member('environment', entry['environment'])
    line += member('trace_id', entry['trace_id'])
    line += member('span_id', entry['span_id'])
    if (error !== undefined) {
      const { type, code, stack } = error
      line += member('error_type', type) + member('error_code', code) + member('error_stack', stack)
    }
    const isError = ERROR_LEVELS.includes(level as Level)
    const fingerprint = isError
      ? batch.groupOnReceipt(factsOf(message as string, error, batch))
      : ''
    line += member('error_fingerprint', fingerprint)
    if (dataText !== '') line += `,"data":${JSON.stringify(dataText)}`
    if (tags !== undefined) line += `,"tags":[${(tags as string[]).map(quote).join(',')}]`
    return {
      line: `${line}}\n`,
      device_id: wellFormed(device_id as string, batch),
      is_ungrouped: fingerprint === undefined,
    }
  }
}

/** Clients send null or an empty text for members without a value. */
const given = (value: unknown): unknown => (value === null || value === '' ? undefined : value)

type SentError = { type?: string | null; code?: string | null; stack?: string | null }

/** An empty text counts as not sent. Like `groupLogLine`, it uses the texts as they are stored. */
function factsOf(message: string, error: SentError = {}, batch: BatchFacts): ErrorFacts {
  const stored = (text: string | null | undefined) => (text ? wellFormed(text, batch) : undefined)
  return {
    message: wellFormed(message, batch),
    type: stored(error.type),
    code: stored(error.code),
    stack: stored(error.stack),
  }
}

type Members = Readonly<Record<string, unknown>>

/** ClickHouse reads the time as `2026-03-01 12:00:00.000` in UTC. */
function headOf({ org_id, mode, received_at, id }: BatchFacts): string {
  const receivedAt = received_at.toISOString().replace('T', ' ').replace('Z', '')
  return `{"org_id":"${org_id}","mode":"${mode}","received_at":"${receivedAt}","id":"${id.slice(0, -4)}`
}

const fourDigits = (index: number): string => (index + 0x1_0000).toString(16).slice(1)

const quotePlain = (text: string): string => JSON.stringify(text)
const quoteWellFormed = (text: string): string => JSON.stringify(text.toWellFormed())
const wellFormed = (text: string, { may_be_ill_formed }: BatchFacts): string =>
  may_be_ill_formed ? text.toWellFormed() : text

function faultOfDevice(value: unknown): ElementFault | undefined {
  const field = 'device_id'
  if (value === undefined) return { field, problem: 'is required' }
  if (value === '') return { field, problem: 'must not have fewer than 1 characters' }
  const fault = faultOfText(field, value, DEVICE_ID_MAX_CHARS)
  if (fault !== undefined) return fault
  // Device ids are stored in PostgreSQL, whose texts cannot contain NUL.
  const hasNul = (value as string).includes('\0')
  return hasNul ? { field, problem: 'must not contain a NUL character' } : undefined
}

function faultOfLevel(level: unknown): ElementFault | undefined {
  if (LEVELS.includes(level as Level)) return undefined
  const problem = level === undefined ? 'is required' : `must be one of ${LEVELS.join(', ')}`
  return { field: 'level', problem }
}

const faultOfNames = (entry: Members): ElementFault | undefined =>
  faultOfOptionalText('category', entry['category'], NAME_MAX_CHARS) ??
  faultOfOptionalText('environment', entry['environment'], NAME_MAX_CHARS) ??
  faultOfOptionalText('trace_id', entry['trace_id'], NAME_MAX_CHARS) ??
  faultOfOptionalText('span_id', entry['span_id'], NAME_MAX_CHARS)

function faultOfError(error: unknown, stackMaxChars: number): ElementFault | undefined {
  if (error === undefined) return undefined
  if (!isObject(error)) return { field: 'error', problem: 'must be object' }
  return (
    faultOfOptionalText('error.type', error['type'], ERROR_NAME_MAX_CHARS) ??
    faultOfOptionalText('error.code', error['code'], ERROR_NAME_MAX_CHARS) ??
    faultOfOptionalText('error.stack', error['stack'], stackMaxChars)
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

const faultOfOptionalText = (
  field: string,
  value: unknown,
  maxChars: number,
): ElementFault | undefined =>
  value === undefined || value === null ? undefined : faultOfText(field, value, maxChars)

function faultOfText(field: string, value: unknown, maxChars: number): ElementFault | undefined {
  if (typeof value !== 'string') return { field, problem: 'must be string' }
  if (value.length <= maxChars || charsOf(value) <= maxChars) return undefined
  return { field, problem: `must not have more than ${maxChars} characters` }
}

/** Counts code points, as all limits of the interface do: a surrogate pair is one character. */
function charsOf(text: string): number {
  let chars = 0
  for (const _ of text) chars += 1
  return chars
}

function faultOfData(data: unknown, { json_max_depth: levels }: EntryLimits) {
  const field = 'data'
  if (!isObject(data)) return { field, problem: 'must be object' }
  return isDeeperThan(data, levels)
    ? { field, problem: `is nested more than ${levels} levels deep` }
    : undefined
}

const isLarger = (text: string, maxBytes: number): boolean =>
  text.length * UTF8_BYTES_MAX > maxBytes && Buffer.byteLength(text) > maxBytes

/** Most bytes of UTF-8 that one UTF-16 code unit can take. */
const UTF8_BYTES_MAX = 3
