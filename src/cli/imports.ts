/**
 * `vigil import`: orders, profiles, cashier actions and outcomes of the past, in the order of their times.
 * A record that is stored already changes nothing, so an import that was interrupted is started again.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { createScoring } from '../app/scoring.ts'
import { isTime, readTime } from '../platform/date-time.ts'
import type { AppError } from '../platform/http/errors.ts'
import type { Validators } from '../platform/http/validation.ts'
import { type RefusedRecord, refusalOf } from '../platform/imported.ts'
import type { Mode } from '../platform/owner.ts'
import { MINUTE_MS } from '../platform/time-units.ts'
import { requireOrganization, withAccountsOf } from './command.ts'
import { type ImportedKind, type Importing, importingOf } from './import/kinds.ts'
import { type Mapping, PLAIN_MAPPING, readMapping } from './import/mapping.ts'
import { progressText } from './import/progress.ts'
import { type FileFormat, type FileRecord, openFile, readRecords } from './import/records.ts'
import { createSortedRecords, type SortedRecord, type SortedRecords } from './import/sorted.ts'
import { CommandError, type Io, type Options, type Output } from './io.ts'

type ImportOptions = Options & {
  org: string
  mode: Mode
  format?: FileFormat
  mapping?: string
  refused?: string
}

/**
 * A state that several records of a batch change is written once. Larger batches would save little more,
 * and live orders of the organization wait while one is written.
 */
const PACE = { batch_steps_max: 256, waiting_max_ms: 10 * MINUTE_MS }
/** Records under way at the same time: some batches. */
const TOGETHER_MAX = 8 * PACE.batch_steps_max
const PROGRESS_EVERY_MS = 5000
const READ_PROGRESS_LINES = 250_000

export const importFile =
  (kind: ImportedKind) =>
  async (io: Io, options: ImportOptions, file = ''): Promise<Output> =>
    await withAccountsOf(io, options.org, async (accounts, core) => {
      await requireOrganization(accounts, options.org)
      const { clock, validators } = core
      const format = options.format ?? formatOf(file)
      const mapping = mappingOf(io, options, validators)
      const scoring = createScoring(core, { ...accounts, pace: PACE })
      const importing = importingOf(kind, core, scoring, {
        org_id: options.org,
        mode: options.mode,
      })
      const refused = createRefusedFile(io, options.refused ?? refusedNameOf(file))
      const records = createSortedRecords()
      try {
        const source = readRecords(openFile(io.working_folder, file), { format, mapping, file })
        const read = readerOf(importing, format, validators, clock.now())
        await collect(io, source, { read, records, refuse: refused.add })
        const counts = await runAll(io, kind, importing, { records, refuse: refused.add })
        return outputOf(kind, { ...counts, refused: refused.count() }, refused.name)
      } finally {
        records.close()
        refused.close()
      }
    })

const formatOf = (file: string): FileFormat => (/\.csv$/i.test(file) ? 'csv' : 'ndjson')

const refusedNameOf = (file: string): string =>
  `${file === '-' ? 'import' : file.replace(/\.(csv|ndjson|jsonl|json)$/i, '')}.refused.ndjson`

function mappingOf(io: Io, { mapping }: ImportOptions, validators: Validators): Mapping {
  return mapping === undefined ? PLAIN_MAPPING : readMapping(io.working_folder, mapping, validators)
}

type Refuse = (line: number, fault: RefusedRecord, record: unknown) => void

/** Refused lines are written when there is the first one. */
function createRefusedFile(io: Io, name: string) {
  const path = resolve(io.working_folder, name)
  let file: number | undefined
  let count = 0
  const add: Refuse = (line, { field, message }, record) => {
    file ??= openSync(path, 'w', 0o600)
    count += 1
    writeSync(file, `${JSON.stringify({ line, field, message, record })}\n`)
  }
  return {
    name,
    add,
    count: () => count,
    close: () => {
      if (file !== undefined) closeSync(file)
    },
  }
}

/** As JSON: NUL and unpaired surrogates, which PostgreSQL does not store. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/

type Read = (found: FileRecord) => { record: object; at_ms: number } | RefusedRecord

/** Validates as the routes of the API do; the cells of a CSV file are texts, as in a query. */
function readerOf(
  { schema, time, stored }: Importing,
  format: FileFormat,
  validators: Validators,
  now: Date,
): Read {
  const httpPart = format === 'csv' ? 'querystring' : 'body'
  const validate = validators.compiler({ schema, method: 'POST', url: '', httpPart })
  return (found) => {
    if ('fault' in found) return { field: 'line', message: found.fault }
    const result = validate(found.record) as { value: object } | { error: AppError }
    if ('error' in result) return refusalOf(result.error)
    const record = stored(result.value)
    if (UNSTORABLE.test(JSON.stringify(record))) {
      return { field: 'line', message: 'The line contains characters that cannot be stored' }
    }
    const sent = (record as Record<string, unknown>)[time]
    if (typeof sent !== 'string') return { field: time, message: `${time} is required` }
    // Outcomes have a day, which `isTime` does not accept; their service examines it.
    const at = isTime(sent) ? readTime(sent, time) : new Date(sent)
    if (at > now) return { field: time, message: `${time} must not be in the future` }
    return { record, at_ms: Number.isNaN(at.getTime()) ? 0 : at.getTime() }
  }
}

async function collect(
  io: Io,
  source: AsyncIterable<FileRecord>,
  { read, records, refuse }: { read: Read; records: SortedRecords; refuse: Refuse },
): Promise<void> {
  let count = 0
  for await (const found of source) {
    const result = read(found)
    if ('record' in result) records.add(found.line, result.record, result.at_ms)
    else refuse(found.line, result, 'record' in found ? found.record : found.text)
    count += 1
    if (count % READ_PROGRESS_LINES === 0) io.stderr(`${count} lines read`)
  }
}

type Counts = { added: number; known: number }

async function runAll(
  io: Io,
  kind: ImportedKind,
  importing: Importing,
  { records, refuse }: { records: SortedRecords; refuse: Refuse },
): Promise<Counts> {
  const counts: Counts = { added: 0, known: 0 }
  const startedMs = performance.now()
  let shownMs = startedMs
  let done = 0
  for (const group of groupsOf(records.read(), importing)) {
    const results = await importing.run(group.map(({ record }) => record as object))
    for (const [index, { line, record }] of group.entries()) {
      const result = results[index]
      if (typeof result === 'string') counts[result] += 1
      else if (result) refuse(line, result, record)
    }
    done += group.length
    const nowMs = performance.now()
    if (nowMs - shownMs < PROGRESS_EVERY_MS) continue
    shownMs = nowMs
    const progress = { done, total: records.size, elapsed_ms: nowMs - startedMs }
    io.stderr(progressText(kind, progress))
  }
  return counts
}

function* groupsOf(
  records: Iterable<SortedRecord>,
  { keysOf }: Importing,
): Generator<SortedRecord[]> {
  let group: SortedRecord[] = []
  let taken = new Set<string>()
  for (const each of records) {
    const keys = keysOf(each.record as object)
    if (group.length === TOGETHER_MAX || keys.some((key) => taken.has(key))) {
      yield group
      group = []
      taken = new Set()
    }
    group.push(each)
    for (const key of keys) taken.add(key)
  }
  if (group.length > 0) yield group
}

function outputOf(
  kind: ImportedKind,
  { added, known, refused }: Counts & { refused: number },
  name: string,
): Output {
  const file = refused === 0 ? null : name
  if (added + known + refused === 0) throw new CommandError('The file has no records')
  return {
    json: { added, known, refused, refused_file: file },
    lines: [
      `${added} ${kind} imported, ${known} known already, ${refused} refused`,
      ...(file === null ? [] : [`The refused lines and the reasons are in ${file}`]),
    ],
  }
}
