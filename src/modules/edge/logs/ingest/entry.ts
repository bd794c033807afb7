/**
 * Validates a log entry (specification, "Edge log entry") and writes it as the binary row that
 * ClickHouse inserts. It is written by hand because it runs a hundred thousand times a second, and a
 * compiled schema would have to be followed by most of this anyway.
 */
import type { RowWriter } from '../../../../platform/clickhouse/row-binary.ts'
import { isObject } from '../../../../platform/is-object.ts'
import { isDeeperThan } from '../../../../platform/json-depth.ts'
import { readReportedTime } from '../../../../platform/reported-time.ts'
import { type BatchHead, createRowHead } from '../../../../platform/spool/index.ts'
import type { ErrorFacts } from '../../../error-groups/index.ts'
import type { ElementFault, GroupOnReceipt } from '../../../intake/index.ts'
import { ERROR_LEVELS, LEVELS, type Level } from '../level.ts'
import { searchedWords } from '../query/words.ts'
import { levelByte } from '../row.ts'
import type { DataText } from './data-text.ts'
import {
  DEVICE_ID_MAX_CHARS,
  type EntryLimits,
  ERROR_NAME_MAX_CHARS,
  NAME_MAX_CHARS,
  TAGS_MAX,
} from './limits.ts'

/** Facts that all entries of a batch share. */
export type BatchFacts = BatchHead & {
  /** Whether a text can contain a lone surrogate. */
  may_be_ill_formed: boolean
  dataText: DataText
  groupOnReceipt: GroupOnReceipt
}

export type EntryReader = {
  /**
   * Writes the row of an entry, or returns its fault. Never throws.
   * @param index position of the entry in its batch, below 65,536
   */
  read(entry: unknown, index: number): ElementFault | undefined
  /** Devices of the entries that were written. */
  deviceIds: ReadonlySet<string>
  /** Whether some of them are errors whose rows do not contain their group yet. */
  isUngrouped(): boolean
}

/** Creates the reader for the entries of one batch. */
export function createEntryReader(
  limits: EntryLimits,
  batch: BatchFacts,
  rows: RowWriter,
): EntryReader {
  const receivedMs = batch.received_at.getTime()
  const writeHead = createRowHead(batch, rows)
  const deviceIds = new Set<string>()
  let is_ungrouped = false
  const textOrEmpty = (value: unknown) => {
    if (typeof value === 'string') rows.text(value)
    else rows.byte(EMPTY_TEXT)
  }

  const write = (entry: SentEntry, index: number, timestampMs: number, dataText: string) => {
    const { device_id, level, message, error, tags } = entry
    writeHead(index)
    rows.integer(timestampMs)
    rows.byte(levelByte(level))
    rows.text(device_id)
    if (rows.text(message)) rows.text(searchedWords(message))
    else rows.byte(EMPTY_TEXT)
    textOrEmpty(entry.category)
    textOrEmpty(entry.environment)
    textOrEmpty(entry.trace_id)
    textOrEmpty(entry.span_id)
    const sentError = error === null || error === '' ? undefined : error
    textOrEmpty(sentError?.type)
    textOrEmpty(sentError?.code)
    textOrEmpty(sentError?.stack)
    if (ERROR_LEVELS.includes(level)) {
      const fingerprint = batch.groupOnReceipt(factsOf(message, sentError, batch))
      is_ungrouped ||= fingerprint === undefined
      textOrEmpty(fingerprint)
    } else rows.byte(EMPTY_TEXT)
    rows.text(dataText)
    if (Array.isArray(tags)) rows.texts(tags)
    else rows.byte(EMPTY_TEXT)
    deviceIds.add(wellFormed(device_id, batch))
  }

  return {
    deviceIds,
    isUngrouped: () => is_ungrouped,
    read: (entry, index) => {
      if (!isObject(entry)) return { field: '', problem: 'must be object' }
      const fault = faultOfEntry(entry, limits)
      if (fault !== undefined) return fault
      const timestamp = given(entry['timestamp'])
      const timestampMs = timestamp === undefined ? receivedMs : readReportedTime(timestamp)
      if (timestampMs === undefined) {
        return { field: 'timestamp', problem: 'must be an ISO 8601 date or a Unix timestamp' }
      }
      const data = given(entry['data'])
      const dataFault = data === undefined ? undefined : faultOfData(data, limits)
      if (dataFault !== undefined) return dataFault
      const dataText = data === undefined ? '' : batch.dataText(data as object, index)
      if (isLarger(dataText, limits.edge_data_max_bytes)) {
        const problem = `must not be larger than ${limits.edge_data_max_bytes} bytes`
        return { field: 'data', problem }
      }
      write(entry as SentEntry, index, timestampMs, dataText)
      return undefined
    },
  }
}

/** A text or a list without values is its length, zero. */
const EMPTY_TEXT = 0

/** Clients send null or an empty text for members without a value. */
const given = (value: unknown): unknown => (value === null || value === '' ? undefined : value)

type SentError = { type?: string | null; code?: string | null; stack?: string | null }
/** An entry without faults. */
type SentEntry = {
  device_id: string
  level: Level
  message: string
  category?: unknown
  environment?: unknown
  trace_id?: unknown
  span_id?: unknown
  error?: SentError | null | ''
  tags?: string[] | null | ''
}

/** An empty text counts as not sent. Like `groupLogRow`, it uses the texts as they are stored. */
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

const wellFormed = (text: string, { may_be_ill_formed }: BatchFacts): string =>
  may_be_ill_formed ? text.toWellFormed() : text

/** Of all members but the time and the data. */
function faultOfEntry(entry: Members, limits: EntryLimits): ElementFault | undefined {
  const message_max = limits.edge_message_max_chars
  const message = entry['message']
  return (
    faultOfDevice(entry['device_id']) ??
    faultOfLevel(entry['level']) ??
    (message === undefined
      ? { field: 'message', problem: 'is required' }
      : faultOfText('message', message, message_max)) ??
    faultOfNames(entry) ??
    faultOfError(given(entry['error']), message_max) ??
    faultOfTags(given(entry['tags']))
  )
}

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
