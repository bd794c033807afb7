/** Decodes requests of `POST /loki/api/v1/push`, in JSON and in protobuf. */
import { invalidRequest } from '../../../../platform/http/errors.ts'
import { isObject } from '../../../../platform/is-object.ts'
import { readLabels } from './labels.ts'
import { readLine } from './line.ts'
import {
  type Budget,
  createBudget,
  NO_SCOPE,
  type SentRecord,
  type Value,
  type Values,
  valuesOf,
} from './values.ts'
import { readInt32, readInt64, readMessage, readProtobuf, readText } from './wire.ts'

const NANOS_PER_SECOND = 1_000_000_000n

/** @throws AppError 400 that names the body or the member */
export function decodeLokiJson(body: unknown): SentRecord[] {
  if (!isObject(body)) throw invalidRequest('body', 'body must be object')
  const budget = createBudget()
  return listOf(body['streams'], 'streams').flatMap((stream) => {
    if (!isObject(stream)) throw invalidRequest('streams', 'streams must contain objects')
    const labels = textsOf(stream['stream'], budget)
    return listOf(stream['values'], 'values').map((value) => {
      const [time, line, metadata] = listOf(value, 'values')
      if (typeof time !== 'string' || typeof line !== 'string') {
        throw invalidRequest('values', 'values must contain lists of a time and a line, as texts')
      }
      budget.record()
      return recordOf({ labels, time_ns: time, line, metadata: textsOf(metadata, budget) }, budget)
    })
  })
}

/** @param bytes after decompression @throws AppError 400 that names the body */
export function decodeLokiProtobuf(bytes: Uint8Array): SentRecord[] {
  const budget = createBudget()
  const records: SentRecord[] = []
  readProtobuf(bytes, (field, reader) => {
    if (field !== 1) return
    let labels: Values = {}
    const entries: Omit<Entry, 'labels'>[] = []
    readMessage(reader, (member) => {
      if (member === 1) labels = readLabels(readText(reader), budget)
      if (member !== 2) return
      budget.record()
      const metadata: [string, Value][] = []
      const entry = { time_ns: '', line: '' }
      readMessage(reader, (part) => {
        if (part === 1) entry.time_ns = readTime(reader)
        if (part === 2) entry.line = readText(reader)
        if (part === 3) metadata.push(readPair(reader, budget))
      })
      entries.push({ ...entry, metadata: valuesOf(metadata) })
    })
    // The labels can follow the entries in the bytes.
    for (const entry of entries) records.push(recordOf({ ...entry, labels }, budget))
  })
  return records
}

type Reader = Parameters<typeof readMessage>[0]

function readTime(reader: Reader): string {
  let seconds = 0n
  let nanos = 0
  readMessage(reader, (field) => {
    if (field === 1) seconds = readInt64(reader)
    if (field === 2) nanos = readInt32(reader)
  })
  return String(seconds * NANOS_PER_SECOND + BigInt(nanos))
}

function readPair(reader: Reader, budget: Budget): [string, Value] {
  const pair: [string, Value] = ['', '']
  budget.value(1)
  readMessage(reader, (field) => {
    if (field === 1) pair[0] = readText(reader)
    if (field === 2) pair[1] = readText(reader)
  })
  return pair
}

type Entry = { labels: Values; time_ns: string; line: string; metadata: Values }

const recordOf = ({ labels, time_ns, line, metadata }: Entry, budget: Budget): SentRecord => ({
  time_ns,
  severity_number: 0,
  severity_text: '',
  body: readLine(line, budget),
  attributes: metadata,
  trace_id: '',
  span_id: '',
  event_name: '',
  resource: labels,
  scope: NO_SCOPE,
})

function listOf(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw invalidRequest(name, `${name} must be array`)
}

/** Labels and structured metadata have texts only; other values become their JSON. */
function textsOf(value: unknown, budget: Budget): Values {
  if (!isObject(value)) return {}
  return valuesOf(
    Object.entries(value).map(([name, member]): [string, Value] => {
      budget.value(1)
      return [name, typeof member === 'string' ? member : JSON.stringify(member)]
    }),
  )
}
