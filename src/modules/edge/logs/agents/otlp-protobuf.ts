/** Decodes `ExportLogsServiceRequest` of OTLP in protobuf. Unknown fields are ignored. */
import type { PbfReader } from 'pbf'
import {
  type Budget,
  createBudget,
  doubleOf,
  integerOf,
  NO_SCOPE,
  type Scope,
  type SentRecord,
  type Value,
  type Values,
  valuesOf,
} from './values.ts'
import {
  readBytes,
  readDouble,
  readFixed64,
  readInt32,
  readInt64,
  readMessage,
  readProtobuf,
  readText,
} from './wire.ts'

type Entries = [string, Value][]
/** Members of a message of which each is read when its field arrives. */
type Fields = Readonly<Record<number, (reader: PbfReader) => void>>

/** @throws AppError 400 naming the body */
export function decodeOtlpProtobuf(bytes: Uint8Array): SentRecord[] {
  const budget = createBudget()
  const records: SentRecord[] = []
  readProtobuf(
    bytes,
    byFields({ 1: (reader) => records.push(...readResourceLogs(reader, budget)) }),
  )
  return records
}

const byFields = (fields: Fields) => (field: number, reader: PbfReader) => fields[field]?.(reader)

const read = (reader: PbfReader, fields: Fields): void => readMessage(reader, byFields(fields))

type OwnRecord = Omit<SentRecord, 'resource' | 'scope'>

/** The resource can follow the records in the bytes. */
function readResourceLogs(reader: PbfReader, budget: Budget): SentRecord[] {
  let resource: Values = {}
  const scopes: { scope: Scope; records: OwnRecord[] }[] = []
  read(reader, {
    1: () => {
      const entries: Entries = []
      read(reader, { 1: () => entries.push(readKeyValue(reader, budget, 1)) })
      resource = valuesOf(entries)
    },
    2: () => scopes.push(readScopeLogs(reader, budget)),
  })
  return scopes.flatMap(({ scope, records }) =>
    records.map((record) => ({ ...record, resource, scope })),
  )
}

function readScopeLogs(reader: PbfReader, budget: Budget) {
  let scope = NO_SCOPE
  const records: OwnRecord[] = []
  read(reader, {
    1: () => {
      scope = readScope(reader, budget)
    },
    2: () => {
      budget.record()
      records.push(readRecord(reader, budget))
    },
  })
  return { scope, records }
}

function readScope(reader: PbfReader, budget: Budget): Scope {
  const scope = { name: '', version: '' }
  const attributes: Entries = []
  read(reader, {
    1: () => {
      scope.name = readText(reader)
    },
    2: () => {
      scope.version = readText(reader)
    },
    3: () => attributes.push(readKeyValue(reader, budget, 1)),
  })
  return { ...scope, attributes: valuesOf(attributes) }
}

function readRecord(reader: PbfReader, budget: Budget): OwnRecord {
  let time = 0n
  let observed = 0n
  const record = { severity_number: 0, severity_text: '', event_name: '', body: '' as Value }
  const ids = { trace_id: '', span_id: '' }
  const attributes: Entries = []
  read(reader, {
    1: () => {
      time = readFixed64(reader)
    },
    2: () => {
      record.severity_number = readInt32(reader)
    },
    3: () => {
      record.severity_text = readText(reader)
    },
    5: () => {
      record.body = readAnyValue(reader, budget, 1)
    },
    6: () => attributes.push(readKeyValue(reader, budget, 1)),
    9: () => {
      ids.trace_id = readBytes(reader).toString('hex')
    },
    10: () => {
      ids.span_id = readBytes(reader).toString('hex')
    },
    11: () => {
      observed = readFixed64(reader)
    },
    12: () => {
      record.event_name = readText(reader)
    },
  })
  const time_ns = time === 0n ? observed : time
  return {
    ...record,
    ...ids,
    attributes: valuesOf(attributes),
    time_ns: time_ns === 0n ? undefined : String(time_ns),
  }
}

function readKeyValue(reader: PbfReader, budget: Budget, depth: number): [string, Value] {
  const entry: [string, Value] = ['', null]
  budget.value(depth)
  read(reader, {
    1: () => {
      entry[0] = readText(reader)
    },
    2: () => {
      entry[1] = readAnyValue(reader, budget, depth)
    },
  })
  return entry
}

function readAnyValue(reader: PbfReader, budget: Budget, depth: number): Value {
  budget.value(depth)
  let value: Value = null
  const set = (next: Value) => {
    value = next
  }
  read(reader, {
    1: () => set(readText(reader)),
    2: () => set(readInt64(reader) !== 0n),
    3: () => set(integerOf(String(readInt64(reader)))),
    4: () => set(doubleOf(readDouble(reader))),
    5: () => {
      const list: Value[] = []
      read(reader, { 1: () => list.push(readAnyValue(reader, budget, depth + 1)) })
      set(list)
    },
    6: () => {
      const entries: Entries = []
      read(reader, { 1: () => entries.push(readKeyValue(reader, budget, depth + 1)) })
      set(valuesOf(entries))
    },
    7: () => set(readBytes(reader).toString('base64')),
  })
  return value
}
